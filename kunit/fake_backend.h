/* SPDX-License-Identifier: GPL-2.0 */
/*
 * rxt kunit: a backend that does as a script says and remembers what it was asked.
 *
 * What lives here: the handle that the engine's tests use. What may not: any idea of a
 * peer: the test is the peer.
 */
#ifndef _RXT_KUNIT_FAKE_BACKEND_H
#define _RXT_KUNIT_FAKE_BACKEND_H

#include <rxt/backend.h>

#define FAKE_CALLS	4096

/**
 * struct fake_step - what one ->xmit() returns
 * @ret: RXT_TX_* or -errno
 * @take: bytes it accepts before that; with RXT_TX_DONE: all
 */
struct fake_step {
	int	ret;
	u32	take;
};

/**
 * struct fake_call - one ->xmit() as it was asked
 * @op: of the message
 * @inline_bh: of the batch
 * @id: of the message
 * @tx_off: bytes that were accepted before
 * @length: of the message
 * @cookie: of the message
 */
struct fake_call {
	u8	op;
	u8	inline_bh;
	u32	id;
	u32	tx_off;
	u32	length;
	u64	cookie;
};

/**
 * struct fake_conn - a QP's half here
 * @conn: what the core knows
 * @node: in the list of all
 * @lock: guards all below
 * @script: steps to come; when it is used up all is RXT_TX_DONE
 * @steps: entries of @script
 * @begin_hook: called at the end of ->xmit_begin(), if set
 * @hook: called inside ->xmit(), if set; sees the call's number
 * @arg: for @hook
 * @call: what was asked, oldest first
 * @calls: entries of @call
 * @batches: ->xmit_begin() was called
 * @open: between ->xmit_begin() and ->xmit_end()
 * @inside: in ->xmit()
 * @broken: the core did what it must not; says what
 * @inline_bh: of this batch
 * @stops: ->conn_stop() was called
 * @mask: all attributes that ->conn_modify() was told of
 * @state: the newest state that it was told of
 */
struct fake_conn {
	struct rxt_conn		conn;
	struct list_head	node;
	spinlock_t		lock;		/* all below */
	const struct fake_step	*script;
	unsigned int		steps;
	void			(*begin_hook)(struct fake_conn *fc);
	void			(*hook)(struct fake_conn *fc, unsigned int call);
	void			*arg;
	struct fake_call	*call;
	unsigned int		calls;
	unsigned int		batches;
	bool			open;
	bool			inside;
	bool			inline_bh;
	const char		*broken;
	unsigned int		stops;
	int			mask;
	enum ib_qp_state	state;
};

int fake_register(void);
void fake_unregister(void);
struct fake_conn *fake_find(u32 qpn);
void fake_script(struct fake_conn *fc, const struct fake_step *script, unsigned int steps);
/* Wait until there were @n calls; false after 2 s. */
bool fake_wait(struct fake_conn *fc, unsigned int n);
/* No call comes beyond the @n that there were. */
bool fake_quiet(struct fake_conn *fc, unsigned int n);
/* rxt_tx_ready(INLINE) as from softirq. */
void fake_ready_inline(struct fake_conn *fc);

#endif /* _RXT_KUNIT_FAKE_BACKEND_H */
