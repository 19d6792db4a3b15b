/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the cases of verbs_errors, verbs_mw and verbs_odp share. A case uses
 * expect() and the want_*() functions; a wish that is not met is printed and
 * fails the case. Side A requests, side B responds.
 */
#ifndef ERR_RIG_H
#define ERR_RIG_H

#include "verbs_util.h"

#define BUF	1048576u
#define RECV_ID	100

/* Short names, the tables are wide enough. */
#define WRITE	IBV_WR_RDMA_WRITE
#define READ	IBV_WR_RDMA_READ
#define CAS	IBV_WR_ATOMIC_CMP_AND_SWP
#define FAA	IBV_WR_ATOMIC_FETCH_AND_ADD

extern const char *spec_a, *spec_b, *cut_cmd, *heal_cmd;
extern int family;
extern bool lenient;
extern struct vu_dev da, db;
extern bool case_failed;

/* A connected pair with memory on both sides. */
struct rig {
	struct vu_qp	a, b;
	struct vu_buf	ma, mb;
};

struct err_case {
	const char	*name;
	void		(*fn)(void);
	bool		needs_cut;
	bool		strict;		/* not for foreign drivers */
};

extern const struct err_case rnr_cases[], peer_cases[], state_cases[], cq_cases[];

/* One TAP point per case; of those in @pat alone when @n is not 0. A table ends with
 * a case without a name.
 */
void rig_run_cases(const struct err_case *c, char **pat, int n);
bool rig_selected(const char *name, char **pat, int n);
void rig_report(const char *name, u64 t0);

/**
 * struct rig_prog - a program that is a table of cases
 * @name: what it is called
 * @cases: the table
 * @leave: option -k: instead of the cases; ends the process with objects open
 * @rounds: option -n sets it; NULL: there is no such option
 */
struct rig_prog {
	const char		*name;
	const struct err_case	*cases;
	void			(*leave)(void);
	unsigned int		*rounds;
};

/* Its main(). */
int rig_main(const struct rig_prog *prog, int argc, char **argv);

bool expect(bool ok, const char *fmt, ...)
	__printf(2, 3);
void rig_mem(struct rig *r, int access_b);
void rig_up(struct rig *r, const struct vu_cfg *cfg);
void rig_down(struct rig *r);
void drop_events(void);

/* The next completion within @ms is that of @id. */
bool want_wc(struct vu_qp *q, const char *who, u64 id,
	     enum ibv_wc_status status, int ms);
void want_nothing(struct vu_qp *q, const char *who, int ms);
void want_state(struct vu_qp *q, const char *who, enum ibv_qp_state want);
void want_event(struct vu_qp *q, const char *who, enum ibv_event_type type);
bool want_dev_event(struct ibv_context *ctx, enum ibv_event_type type, int ms);
void want_no_event(struct vu_dev *dev, const char *who);

/* A's requests: a good WRITE of 64 bytes, a SEND, 32 WRITEs that fill BUF. */
void write_ok(struct rig *r, u64 id);
void send_len(struct rig *r, u64 id, u32 len);
void post_many(struct rig *r);
/* B's receive. */
void recv_len(struct rig *r, u64 id, u32 len);
void rnr_cfg(struct vu_cfg *cfg, int rnr_retry, int code);

#define RNR_82MS	26	/* IBTA code */

/* err_table.c: one bad request between good ones */
size_t bad_count(void);
const char *bad_name(size_t i);
void bad_run(size_t i);

#endif /* ERR_RIG_H */
