// SPDX-License-Identifier: GPL-2.0
/*
 * rxt core: does who posts send by himself, or does a worker?
 *
 * What lives here: that decision, a pure function of what was seen. What may not:
 * sending (engine.c).
 *
 * By himself is soonest, and right for who waits for an answer before he posts again.
 * But each post is then a packet of its own, and its answer another one. Who posts
 * one request after the other is served better by a worker on another CPU: it finds
 * several at once, which share packets, and their ACKs do too.
 *
 * How often a process posts does not tell the two apart, as a good network answers
 * before the next post. So posts that follow each other closely are left to a worker
 * for a trial, and go on being left to it if it finds several at a time. If not, the
 * next trial takes a longer run of them.
 *
 * The fields are hints that several CPUs may write: a wrong guess costs some time.
 */
#include "internal.h"

/* Nanoseconds from one post to the next, if they are to belong together. */
#define CLOSE		20000
/* Such posts until a trial: at first, and after many in vain. */
#define RUN_MIN		64
#define RUN_MAX		16384
/* What a post that is not close to the last one takes off. */
#define RUN_LOSS	16
/* Batches of a worker that are looked at, and of a trial. */
#define SAMPLE		16
#define TRIAL		4
/* A batch that is smaller gains nothing. The next one lets some more come first. */
#define SMALL		3
/* Bytes of a message beyond which its own packets are enough to share. */
#define LONG		16384

/**
 * rxt_bell_init - nothing is known
 * @bell: of a QP
 */
void rxt_bell_init(struct rxt_bell *bell)
{
	*bell = (struct rxt_bell) { .need = RUN_MIN };
}

/* A post that is sent at once. True: make it a trial. */
static bool counts(struct rxt_bell *bell, u64 now)
{
	u32 run = READ_ONCE(bell->run);

	if (now - READ_ONCE(bell->end) > CLOSE) {
		WRITE_ONCE(bell->run, run > RUN_LOSS ? run - RUN_LOSS : 0);
		return false;
	}
	WRITE_ONCE(bell->run, run + 1);
	return run + 1 >= READ_ONCE(bell->need);
}

/**
 * rxt_bell_defer - a request was posted: shall a worker send it?
 * @bell: of the QP
 * @now: local_clock()
 *
 * Context: any.
 */
bool rxt_bell_defer(struct rxt_bell *bell, u64 now)
{
	if (READ_ONCE(bell->batching))
		return true;
	if (!counts(bell, now))
		return false;
	bell->batches = 0;
	bell->requests = 0;
	bell->last = 0;
	bell->sample = TRIAL;
	WRITE_ONCE(bell->batching, true);
	return true;
}

/**
 * rxt_bell_sent - who posted has sent by himself
 * @bell: of the QP
 * @now: local_clock()
 */
void rxt_bell_sent(struct rxt_bell *bell, u64 now)
{
	WRITE_ONCE(bell->end, now);
}

/**
 * rxt_bell_gather - a worker is about to send: are more posts worth a moment?
 * @bell: of the QP
 *
 * Where it runs on the CPU of who posts, it would be there after each single post.
 */
bool rxt_bell_gather(const struct rxt_bell *bell)
{
	return READ_ONCE(bell->batching) && READ_ONCE(bell->last) < SMALL;
}

/**
 * rxt_bell_batch - a worker has sent what was there
 * @bell: of the QP
 * @requests: how many that had been posted
 * @bytes: payload of these, both ways
 */
void rxt_bell_batch(struct rxt_bell *bell, u32 requests, u64 bytes)
{
	if (!READ_ONCE(bell->batching) || !requests)
		return;
	/* Long ones gain nothing, however many there are. */
	if (bytes <= (u64)requests * LONG)
		bell->requests += requests;
	WRITE_ONCE(bell->last, requests);
	if (++bell->batches < bell->sample)
		return;
	if (bell->requests >= SMALL * bell->batches) {
		WRITE_ONCE(bell->need, RUN_MIN);
	} else {
		WRITE_ONCE(bell->need, min(READ_ONCE(bell->need) * 4, RUN_MAX));
		WRITE_ONCE(bell->run, 0);
		WRITE_ONCE(bell->batching, false);
	}
	bell->batches = 0;
	bell->requests = 0;
	bell->sample = SAMPLE;
}
