// SPDX-License-Identifier: GPL-2.0
/*
 * rxt kunit: the TCP backend's framer: the same messages whatever pieces the stream comes
 * in, and nothing after the first byte that may not be there.
 *
 * What lives here: tcp_rx.c and tcp_frame.c on a private copy, with the core and the rest
 * of the backend played by this file. What may not: sockets, single headers (frame_test.c).
 */
#include <kunit/test.h>
#include <linux/prandom.h>
#include "private.h"
#include "../backends/tcp/tcp_frame.c"
#include "../backends/tcp/tcp_rx.c"

#define QPN		0x4711
#define JUNK		7	/* bytes in front of the stream in each skb */
#define STREAM_MAX	4096
#define EVENTS_MAX	64

enum event_kind {
	EV_BEGIN,
	EV_PLACED,
	EV_END,
	EV_READ,
	EV_ATOMIC,
	EV_ATOMIC_RESP,
	EV_ACKED,
	EV_RNR,
	EV_NAK,
	EV_ERROR,
};

struct event {
	u32	kind;
	u32	op;
	u32	id;
	u32	from;
	u32	to;
	u64	value;
};

/**
 * struct rig - a connection that gets a stream
 * @tc: the connection
 * @event: up-calls so far
 * @events: entries of @event
 * @not_ready: request to find no receive WQE, once; 0: none
 * @refuse: request to refuse; 0: none
 * @bad_bytes: placed bytes that are not the pattern
 */
struct rig {
	struct rxtcp_conn	tc;
	struct event		event[EVENTS_MAX];
	unsigned int		events;
	u32			not_ready;
	u32			refuse;
	u32			bad_bytes;
};

/* struct rxt_rx is the core's; here it is what the placing needs to know. */
struct rxt_rx {
	struct rig	*rig;
	u32		op;
	u32		id;
};

static struct rxt_rx open_rx[2];
static struct rxt_dev dev;

static struct rig *to_rig(struct rxt_conn *conn)
{
	return container_of(to_rxtcp(conn), struct rig, tc);
}

static u8 pattern(u32 id, u32 off)
{
	return id * 31 + off * 7 + (off >> 8);
}

static struct event *log_event(struct rig *rig, enum event_kind kind, u32 op, u32 id)
{
	static struct event spill;
	struct event *e = rig->events < EVENTS_MAX ? &rig->event[rig->events++] : &spill;

	*e = (struct event) { .kind = kind, .op = op, .id = id };
	return e;
}

/* ---- the core, as far as the framer calls it ---- */

enum rxt_verdict rxt_rx_begin(struct rxt_conn *conn, const struct rxt_hdr *hdr,
			      struct rxt_rx **rx)
{
	struct rig *rig = to_rig(conn);

	if (hdr->op != RXT_OP_READ_RESP && rig->not_ready == hdr->msg_id) {
		rig->not_ready = 0;
		return RXT_NOT_READY;
	}
	if (hdr->op != RXT_OP_READ_RESP && rig->refuse == hdr->msg_id)
		return RXT_BAD_ACCESS;
	*rx = &open_rx[hdr->op == RXT_OP_READ_RESP];
	**rx = (struct rxt_rx) { .rig = rig, .op = hdr->op, .id = hdr->msg_id };
	log_event(rig, EV_BEGIN, hdr->op, hdr->msg_id)->to = hdr->length;
	return RXT_OK;
}

int rxt_rx_place_buf(struct rxt_rx *rx, u32 off, const void *buf, u32 len)
{
	struct rig *rig = rx->rig;
	struct event *e = rig->events ? &rig->event[rig->events - 1] : NULL;
	const u8 *b = buf;
	u32 i;

	for (i = 0; i < len; i++)
		if (b[i] != pattern(rx->id, off + i))
			rig->bad_bytes++;
	/* However many pieces it came in: one event. */
	if (!e || e->kind != EV_PLACED || e->op != rx->op || e->id != rx->id || e->to != off) {
		e = log_event(rig, EV_PLACED, rx->op, rx->id);
		e->from = off;
	}
	e->to = off + len;
	return 0;
}

enum rxt_verdict rxt_rx_place_verdict(struct rxt_rx *rx, int err)
{
	return RXT_BAD_REQUEST;
}

enum rxt_verdict rxt_rx_end(struct rxt_rx *rx, const struct rxt_hdr *hdr)
{
	struct event *e = log_event(rx->rig, EV_END, hdr->op, hdr->msg_id);

	e->to = hdr->length;
	e->from = hdr->solicited;
	if (hdr->op == RXT_OP_SEND_INV)
		e->value = hdr->inv_rkey;
	else if (hdr->op == RXT_OP_SEND_IMM || hdr->op == RXT_OP_WRITE_IMM)
		e->value = be32_to_cpu(hdr->imm);
	return RXT_OK;
}

void rxt_rx_abort(struct rxt_rx *rx)
{
}

enum rxt_verdict rxt_rx_read(struct rxt_conn *conn, const struct rxt_hdr *hdr, u64 cookie,
			     unsigned int flags)
{
	struct event *e = log_event(to_rig(conn), EV_READ, hdr->op, hdr->msg_id);

	e->to = hdr->length;
	e->value = hdr->raddr;
	return RXT_OK;
}

enum rxt_verdict rxt_rx_atomic(struct rxt_conn *conn, const struct rxt_hdr *hdr, u64 cookie,
			       unsigned int flags, u64 *orig)
{
	log_event(to_rig(conn), EV_ATOMIC, hdr->op, hdr->msg_id)->value = hdr->swap_add;
	*orig = 0;
	return RXT_OK;
}

enum rxt_verdict rxt_rx_atomic_resp(struct rxt_conn *conn, u32 id, u64 orig)
{
	log_event(to_rig(conn), EV_ATOMIC_RESP, 0, id)->value = orig;
	return RXT_OK;
}

bool rxt_tx_acked(struct rxt_conn *conn, u32 id)
{
	if (id > to_rig(conn)->tc.tx.top_id)
		return false;
	log_event(to_rig(conn), EV_ACKED, 0, id);
	return true;
}

void rxt_conn_rnr(struct rxt_conn *conn, u32 id, u32 off, u8 timer)
{
	log_event(to_rig(conn), EV_RNR, timer, id);
}

void rxt_conn_nak(struct rxt_conn *conn, u32 id, enum rxt_verdict verdict)
{
	log_event(to_rig(conn), EV_NAK, verdict, id);
}

void rxt_conn_error(struct rxt_conn *conn, enum rxt_conn_err err)
{
	log_event(to_rig(conn), EV_ERROR, err, 0);
}

void rxt_tx_ready(struct rxt_conn *conn, enum rxt_tx_how how)
{
}

bool rxt_tx_wanted(const struct rxt_conn *conn)
{
	return false;
}

/* ---- the rest of the backend ---- */

void rxtcp_conn_up(struct rxtcp_conn *tc)
{
	tc->state = RXTCP_UP;
}

void rxtcp_conn_lost(struct rxtcp_conn *tc)
{
}

void rxtcp_life_start(struct rxtcp_conn *tc)
{
}

bool rxtcp_ack_may_wait(struct rxtcp_conn *tc)
{
	return false;
}

void rxtcp_ack_reset(struct rxtcp_conn *tc)
{
}

/* ---- streams ---- */

/**
 * struct stream - bytes as a peer would send them
 * @byte: the bytes
 * @len: how many
 */
struct stream {
	u8	byte[STREAM_MAX];
	u32	len;
};

/* One frame; @off: where its payload is in the message. */
static void put(struct stream *s, const struct rxtcp_frame *frame, u32 off)
{
	struct rxtcp_frame f = *frame;
	u32 i;

	f.qpn = f.qpn ?: QPN;
	s->len += rxtcp_frame_encode(&f, s->byte + s->len);
	for (i = 0; i < f.len; i++)
		s->byte[s->len++] = pattern(f.id, off + i);
}

#define PUT(s, off, op, ...) \
	put(s, &(struct rxtcp_frame) { .opcode = RXT_TCP_RC_##op, ##__VA_ARGS__ }, off)

/* Everything that RC has, both lanes mixed wherever they may be. */
static void put_all(struct stream *s)
{
	PUT(s, 0, SEND_FIRST, .id = 1, .len = 100, .total = 260);
	PUT(s, 100, SEND_MIDDLE, .id = 1, .len = 100);
	PUT(s, 0, READ_RESP_FIRST, .id = 1, .len = 50, .total = 120);
	PUT(s, 200, SEND_LAST, .id = 1, .len = 60, .solicited = true);
	PUT(s, 0, WRITE_ONLY_IMM, .id = 2, .len = 33, .total = 33, .va = 0x1000, .rkey = 5,
	    .imm = cpu_to_be32(0x11223344));
	PUT(s, 50, READ_RESP_MIDDLE, .id = 1, .len = 40);
	PUT(s, 0, READ_REQ, .id = 3, .total = 77, .va = 0x123456789abcULL, .rkey = 5);
	PUT(s, 90, READ_RESP_LAST, .id = 1, .len = 30);
	PUT(s, 0, ACK, .id = 2, .ack = 2);
	PUT(s, 0, CMP_SWP, .id = 4, .ack = 2, .va = 8, .compare = 1, .swap_add = 0x1234567890ULL);
	PUT(s, 0, ATOMIC_WRITE, .id = 5, .ack = 2, .len = 8, .total = 8, .va = 8);
	PUT(s, 0, SEND_ONLY, .id = 6, .ack = 3);
	PUT(s, 0, ATOMIC_ACK, .id = 4, .ack = 3, .swap_add = 0xfedcba9876543210ULL);
	PUT(s, 0, READ_RESP_ONLY, .id = 5, .ack = 4);
	PUT(s, 0, WRITE_FIRST, .id = 7, .ack = 4, .len = 20, .total = 30, .va = 1);
	PUT(s, 20, WRITE_LAST, .id = 7, .ack = 4, .len = 10);
	PUT(s, 0, SEND_FIRST, .id = 8, .ack = 4, .len = 1, .total = 2);
	PUT(s, 1, SEND_LAST_INV, .id = 8, .ack = 5, .len = 1, .inv_rkey = 0x99);
	PUT(s, 0, ACK, .id = 6, .ack = 5, .syndrome = RXT_TCP_SYN_RNR | 14);
	PUT(s, 0, ACK, .id = 7, .ack = 6, .syndrome = RXT_TCP_SYN_NAK | RXT_TCP_NAK_REM_ACC);
}

static void rig_init(struct rig *rig)
{
	memset(rig, 0, sizeof(*rig));
	rig->tc.conn.dev = &dev;
	rig->tc.conn.stats = dev.stats;
	rig->tc.conn.type = IB_QPT_RC;
	rig->tc.conn.qpn = QPN;
	rig->tc.state = RXTCP_UP;
	rig->tc.tx.top_id = 10;
	rxtcp_rx_reset(&rig->tc);
}

/* @len bytes of the stream, as one skb with something else before them. */
static void feed(struct kunit *test, struct rig *rig, const u8 *bytes, u32 len)
{
	read_descriptor_t desc = { .arg.data = &rig->tc, .count = 1 };
	struct sk_buff *skb = alloc_skb(JUNK + len, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, skb);
	memset(skb_put(skb, JUNK), 0xff, JUNK);
	skb_put_data(skb, bytes, len);
	KUNIT_EXPECT_EQ(test, rx_actor(&desc, skb, JUNK, len), (int)len);
	kfree_skb(skb);
}

static bool same(const struct rig *a, const struct rig *b)
{
	return a->events == b->events && !a->bad_bytes && !b->bad_bytes &&
	       !memcmp(a->event, b->event, a->events * sizeof(a->event[0]));
}

struct bench {
	struct rig	want;
	struct rig	got;
	struct stream	stream;
};

static struct bench *bench_new(struct kunit *test)
{
	struct bench *b = kunit_kzalloc(test, sizeof(*b), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, b);
	rig_init(&b->want);
	rig_init(&b->got);
	return b;
}

static void framer_whole(struct kunit *test)
{
	static const struct event want[] = {
		{ EV_BEGIN, RXT_OP_SEND, 1, 0, 260 },
		{ EV_PLACED, RXT_OP_SEND, 1, 0, 200 },
		{ EV_BEGIN, RXT_OP_READ_RESP, 1, 0, 120 },
		{ EV_PLACED, RXT_OP_READ_RESP, 1, 0, 50 },
		{ EV_PLACED, RXT_OP_SEND, 1, 200, 260 },
		{ EV_END, RXT_OP_SEND, 1, 1, 260 },
		{ EV_BEGIN, RXT_OP_WRITE_IMM, 2, 0, 33 },
		{ EV_PLACED, RXT_OP_WRITE_IMM, 2, 0, 33 },
		{ EV_END, RXT_OP_WRITE_IMM, 2, 0, 33, 0x11223344 },
		{ EV_PLACED, RXT_OP_READ_RESP, 1, 50, 90 },
		{ EV_READ, RXT_OP_READ, 3, 0, 77, 0x123456789abcULL },
		{ EV_PLACED, RXT_OP_READ_RESP, 1, 90, 120 },
		{ EV_END, RXT_OP_READ_RESP, 1, 0, 120 },
		{ EV_ACKED, 0, 2 },
		{ EV_ATOMIC, RXT_OP_CMP_SWP, 4, 0, 0, 0x1234567890ULL },
		{ EV_ATOMIC, RXT_OP_ATOMIC_WRITE, 5 },
		{ EV_ACKED, 0, 3 },
		{ EV_BEGIN, RXT_OP_SEND, 6 },
		{ EV_END, RXT_OP_SEND, 6 },
		{ EV_ATOMIC_RESP, 0, 4, 0, 0, 0xfedcba9876543210ULL },
		{ EV_ACKED, 0, 4 },
		{ EV_BEGIN, RXT_OP_READ_RESP, 5 },
		{ EV_END, RXT_OP_READ_RESP, 5 },
		{ EV_BEGIN, RXT_OP_WRITE, 7, 0, 30 },
		{ EV_PLACED, RXT_OP_WRITE, 7, 0, 30 },
		{ EV_END, RXT_OP_WRITE, 7, 0, 30 },
		{ EV_BEGIN, RXT_OP_SEND, 8, 0, 2 },
		{ EV_PLACED, RXT_OP_SEND, 8, 0, 1 },
		{ EV_ACKED, 0, 5 },
		{ EV_PLACED, RXT_OP_SEND, 8, 1, 2 },
		{ EV_END, RXT_OP_SEND_INV, 8, 0, 2, 0x99 },
		{ EV_RNR, 14, 6 },
		{ EV_ACKED, 0, 6 },
		{ EV_NAK, RXT_BAD_ACCESS, 7 },
	};
	struct bench *b = bench_new(test);
	unsigned int i;

	put_all(&b->stream);
	feed(test, &b->got, b->stream.byte, b->stream.len);
	KUNIT_EXPECT_EQ(test, b->got.bad_bytes, 0U);
	KUNIT_EXPECT_EQ(test, b->got.events, (unsigned int)ARRAY_SIZE(want));
	for (i = 0; i < min_t(unsigned int, b->got.events, ARRAY_SIZE(want)); i++) {
		struct event e = want[i];

		if (e.op == RXT_OP_ATOMIC_WRITE && e.kind == EV_ATOMIC)
			e.value = b->got.event[i].value;
		KUNIT_EXPECT_EQ_MSG(test, memcmp(&b->got.event[i], &e, sizeof(e)), 0,
				    "event %u: kind %u op %u id %u from %u to %u value %#llx", i,
				    b->got.event[i].kind, b->got.event[i].op,
				    b->got.event[i].id, b->got.event[i].from,
				    b->got.event[i].to, b->got.event[i].value);
	}
}

/* One skb of three pieces (its head and two fragments), cut at every byte. */
static void framer_fragments(struct kunit *test)
{
	struct bench *b = bench_new(test);
	read_descriptor_t desc = { .arg.data = &b->got.tc, .count = 1 };
	struct sk_buff *skb;
	struct page *page;
	u32 cut, len, mid;

	put_all(&b->stream);
	len = b->stream.len;
	feed(test, &b->want, b->stream.byte, len);
	for (cut = 1; cut < len - 1; cut++) {
		skb = alloc_skb(JUNK + cut, GFP_KERNEL);
		page = alloc_page(GFP_KERNEL);
		if (!skb || !page)
			break;
		mid = (len - cut) / 2;
		memset(skb_put(skb, JUNK), 0xff, JUNK);
		skb_put_data(skb, b->stream.byte, cut);
		memcpy(page_address(page), b->stream.byte + cut, len - cut);
		get_page(page);
		skb_add_rx_frag(skb, 0, page, 0, mid, mid);
		skb_add_rx_frag(skb, 1, page, mid, len - cut - mid, len - cut - mid);
		rig_init(&b->got);
		KUNIT_EXPECT_EQ(test, rx_actor(&desc, skb, JUNK, len), (int)len);
		kfree_skb(skb);
		KUNIT_ASSERT_TRUE_MSG(test, same(&b->want, &b->got), "cut at %u", cut);
	}
	KUNIT_EXPECT_EQ(test, cut, len - 1);
}

/* Two pieces, cut at every byte. */
static void framer_every_cut(struct kunit *test)
{
	struct bench *b = bench_new(test);
	u32 cut;

	put_all(&b->stream);
	feed(test, &b->want, b->stream.byte, b->stream.len);
	for (cut = 1; cut < b->stream.len; cut++) {
		rig_init(&b->got);
		feed(test, &b->got, b->stream.byte, cut);
		feed(test, &b->got, b->stream.byte + cut, b->stream.len - cut);
		KUNIT_ASSERT_TRUE_MSG(test, same(&b->want, &b->got), "cut at %u", cut);
	}
}

static void feed_by(struct kunit *test, struct rig *rig, const struct stream *s, u32 step)
{
	u32 at, n;

	for (at = 0; at < s->len; at += n) {
		n = min(step, s->len - at);
		feed(test, rig, s->byte + at, n);
	}
}

/* Pieces of one length each: one byte, two … */
static void framer_every_step(struct kunit *test)
{
	struct bench *b = bench_new(test);
	u32 step;

	put_all(&b->stream);
	feed(test, &b->want, b->stream.byte, b->stream.len);
	for (step = 1; step < 150; step++) {
		rig_init(&b->got);
		feed_by(test, &b->got, &b->stream, step);
		KUNIT_ASSERT_TRUE_MSG(test, same(&b->want, &b->got), "pieces of %u", step);
	}
}

static void framer_random_cuts(struct kunit *test)
{
	struct bench *b = bench_new(test);
	struct rnd_state rnd;
	unsigned int round;
	u32 at, n;

	prandom_seed_state(&rnd, 7);
	put_all(&b->stream);
	feed(test, &b->want, b->stream.byte, b->stream.len);
	for (round = 0; round < 500; round++) {
		rig_init(&b->got);
		for (at = 0; at < b->stream.len; at += n) {
			n = 1 + prandom_u32_state(&rnd) % 90;
			n = min(n, b->stream.len - at);
			feed(test, &b->got, b->stream.byte + at, n);
		}
		KUNIT_ASSERT_TRUE_MSG(test, same(&b->want, &b->got), "round %u", round);
	}
}

/* What came behind a request that nobody was ready for comes again. */
static void framer_not_ready(struct kunit *test)
{
	struct bench *b = bench_new(test);
	struct stream *s = &b->stream;
	u32 step;

	PUT(s, 0, SEND_FIRST, .id = 1, .len = 10, .total = 20);
	PUT(s, 10, SEND_LAST, .id = 1, .len = 10);
	PUT(s, 0, SEND_FIRST, .id = 2, .len = 10, .total = 20);
	PUT(s, 0, READ_RESP_ONLY, .id = 1, .len = 10);
	PUT(s, 10, SEND_LAST, .id = 2, .len = 10);
	PUT(s, 0, SEND_ONLY, .id = 3, .len = 10);
	PUT(s, 0, SEND_FIRST, .id = 1, .len = 10, .total = 20);
	PUT(s, 10, SEND_LAST, .id = 1, .len = 10);
	PUT(s, 0, SEND_ONLY, .id = 2, .len = 20);
	for (step = 1; step < 100; step++) {
		rig_init(&b->got);
		b->got.not_ready = 1;
		feed_by(test, &b->got, s, step);
		KUNIT_ASSERT_EQ(test, b->got.events, 9U);
		KUNIT_ASSERT_EQ(test, b->got.event[0].op, (u32)RXT_OP_READ_RESP);
		KUNIT_ASSERT_EQ(test, b->got.event[3].id, 1U);
		KUNIT_ASSERT_EQ(test, b->got.event[8].id, 2U);
		KUNIT_ASSERT_EQ(test, b->got.event[8].to, 20U);
		KUNIT_ASSERT_EQ(test, b->got.bad_bytes, 0U);
		/* The NAK stays latched: nobody sends here. */
		KUNIT_ASSERT_EQ(test, (int)b->got.tc.rx.nak, (int)RXT_NOT_READY);
		KUNIT_ASSERT_EQ(test, b->got.tc.rx.nak_id, 1U);
		KUNIT_ASSERT_EQ(test, b->got.tc.rx.exp_id, 3U);
	}
}

/* After a refusal no request is looked at, but answers are. */
static void framer_refused(struct kunit *test)
{
	struct bench *b = bench_new(test);
	struct stream *s = &b->stream;

	PUT(s, 0, SEND_ONLY, .id = 1, .len = 10);
	PUT(s, 0, WRITE_FIRST, .id = 2, .len = 10, .total = 20);
	PUT(s, 10, WRITE_LAST, .id = 2, .len = 10);
	PUT(s, 0, SEND_ONLY, .id = 3, .len = 10);
	PUT(s, 0, READ_REQ, .id = 4, .total = 10);
	PUT(s, 0, READ_RESP_ONLY, .id = 1, .len = 10, .ack = 1);
	b->got.refuse = 2;
	feed_by(test, &b->got, s, 13);
	KUNIT_EXPECT_EQ(test, b->got.events, 7U);
	KUNIT_EXPECT_EQ(test, b->got.event[2].kind, (u32)EV_END);
	KUNIT_EXPECT_EQ(test, b->got.event[3].kind, (u32)EV_ACKED);
	KUNIT_EXPECT_EQ(test, b->got.event[6].op, (u32)RXT_OP_READ_RESP);
	KUNIT_EXPECT_EQ(test, (int)b->got.tc.rx.nak, (int)RXT_BAD_ACCESS);
	KUNIT_EXPECT_EQ(test, b->got.tc.rx.nak_id, 2U);
}

/* Good frames in an order that makes no sense; the last one is the bad one. */
static const struct rxtcp_frame bad_streams[][4] = {
	{ { .opcode = RXT_TCP_RC_SEND_ONLY, .id = 1, .qpn = QPN + 1 } },
	{ { .opcode = RXT_TCP_RC_SEND_ONLY, .id = 2 } },
	{ { .opcode = RXT_TCP_RC_SEND_ONLY, .id = 1 },
	  { .opcode = RXT_TCP_RC_SEND_ONLY, .id = 1 } },
	{ { .opcode = RXT_TCP_RC_SEND_ONLY, .id = 1 },
	  { .opcode = RXT_TCP_RC_SEND_ONLY, .id = 3 } },
	{ { .opcode = RXT_TCP_RC_SEND_MIDDLE, .id = 1, .len = 5 } },
	{ { .opcode = RXT_TCP_RC_SEND_LAST, .id = 1, .len = 5 } },
	{ { .opcode = RXT_TCP_RC_READ_RESP_LAST, .id = 1, .len = 5 } },
	/* a message inside of a message */
	{ { .opcode = RXT_TCP_RC_SEND_FIRST, .id = 1, .len = 5, .total = 9 },
	  { .opcode = RXT_TCP_RC_SEND_ONLY, .id = 1 } },
	{ { .opcode = RXT_TCP_RC_SEND_FIRST, .id = 1, .len = 5, .total = 9 },
	  { .opcode = RXT_TCP_RC_READ_REQ, .id = 2 } },
	{ { .opcode = RXT_TCP_RC_READ_RESP_FIRST, .id = 1, .len = 5, .total = 9 },
	  { .opcode = RXT_TCP_RC_ATOMIC_ACK, .id = 2 } },
	/* another operation, another number, another length than it began with */
	{ { .opcode = RXT_TCP_RC_SEND_FIRST, .id = 1, .len = 5, .total = 9 },
	  { .opcode = RXT_TCP_RC_WRITE_LAST, .id = 1, .len = 4 } },
	{ { .opcode = RXT_TCP_RC_SEND_FIRST, .id = 1, .len = 5, .total = 9 },
	  { .opcode = RXT_TCP_RC_SEND_LAST, .id = 2, .len = 4 } },
	{ { .opcode = RXT_TCP_RC_SEND_FIRST, .id = 1, .len = 5, .total = 9 },
	  { .opcode = RXT_TCP_RC_SEND_LAST, .id = 1, .len = 3 } },
	{ { .opcode = RXT_TCP_RC_SEND_FIRST, .id = 1, .len = 5, .total = 9 },
	  { .opcode = RXT_TCP_RC_SEND_LAST, .id = 1, .len = 5 } },
	{ { .opcode = RXT_TCP_RC_SEND_FIRST, .id = 1, .len = 5, .total = 9 },
	  { .opcode = RXT_TCP_RC_SEND_MIDDLE, .id = 1, .len = 4 } },
	{ { .opcode = RXT_TCP_RC_READ_RESP_FIRST, .id = 1, .len = 5, .total = 9 },
	  { .opcode = RXT_TCP_RC_READ_RESP_MIDDLE, .id = 1, .len = 400 } },
	/* what was never sent */
	{ { .opcode = RXT_TCP_RC_ACK, .id = 11, .ack = 11 } },
	{ { .opcode = RXT_TCP_RC_ACK, .id = 11, .syndrome = RXT_TCP_SYN_NAK | 1 } },
	{ { .opcode = RXT_TCP_RC_ACK, .id = 2, .syndrome = RXT_TCP_SYN_RNR | 1 } },
};

static void framer_bad_order(struct kunit *test)
{
	struct bench *b = bench_new(test);
	u32 i, j, step;

	for (i = 0; i < ARRAY_SIZE(bad_streams); i++) {
		b->stream.len = 0;
		for (j = 0; j < 4 && bad_streams[i][j].id; j++)
			put(&b->stream, &bad_streams[i][j], j ? 5 : 0);
		/* No longer of interest. */
		PUT(&b->stream, 0, SEND_ONLY, .id = 1);
		PUT(&b->stream, 0, READ_REQ, .id = 2);
		for (step = 1; step < 200; step += 11) {
			rig_init(&b->got);
			feed_by(test, &b->got, &b->stream, step);
			KUNIT_ASSERT_GT(test, b->got.events, 0U);
			KUNIT_ASSERT_EQ_MSG(test, b->got.event[b->got.events - 1].kind,
					    (u32)EV_ERROR, "stream %u in pieces of %u", i, step);
			KUNIT_ASSERT_EQ(test, b->got.event[b->got.events - 1].op,
					(u32)RXT_ERR_PROTOCOL);
		}
	}
}

/* Any one byte changed to anything: it ends somehow, with at most one error. */
static void framer_garbled(struct kunit *test)
{
	struct bench *b = bench_new(test);
	struct rnd_state rnd;
	unsigned int i, j;
	u32 at;

	prandom_seed_state(&rnd, 3);
	put_all(&b->stream);
	for (i = 0; i < 4000; i++) {
		u8 old, change = 1 + prandom_u32_state(&rnd) % 255;
		unsigned int errors = 0;

		at = i % b->stream.len;
		old = b->stream.byte[at];
		b->stream.byte[at] ^= change;
		rig_init(&b->got);
		feed_by(test, &b->got, &b->stream, 1 + prandom_u32_state(&rnd) % 300);
		b->stream.byte[at] = old;
		for (j = 0; j < b->got.events; j++) {
			errors += b->got.event[j].kind == EV_ERROR;
			if (b->got.event[j].kind == EV_PLACED)
				KUNIT_ASSERT_LE(test, b->got.event[j].to, (u32)RXT_MAX_MSG);
		}
		KUNIT_ASSERT_LE(test, errors, 1U);
	}
}

static int framer_suite_init(struct kunit_suite *suite)
{
	dev.stats = alloc_percpu(struct rxt_stats);
	return dev.stats ? 0 : -ENOMEM;
}

static void framer_suite_exit(struct kunit_suite *suite)
{
	free_percpu(dev.stats);
}

static struct kunit_case framer_test_cases[] = {
	KUNIT_CASE(framer_whole),
	KUNIT_CASE(framer_fragments),
	KUNIT_CASE(framer_every_cut),
	KUNIT_CASE(framer_every_step),
	KUNIT_CASE(framer_random_cuts),
	KUNIT_CASE(framer_not_ready),
	KUNIT_CASE(framer_refused),
	KUNIT_CASE(framer_bad_order),
	KUNIT_CASE(framer_garbled),
	{ }
};

static struct kunit_suite framer_test_suite = {
	.name = "rxt_framer",
	.suite_init = framer_suite_init,
	.suite_exit = framer_suite_exit,
	.test_cases = framer_test_cases,
};

kunit_test_suite(framer_test_suite);

MODULE_DESCRIPTION("rxt: tests of the TCP framer");
MODULE_LICENSE("GPL");
