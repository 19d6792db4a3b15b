// SPDX-License-Identifier: GPL-2.0
/*
 * What goes wrong has to go wrong as IBTA says: the right status on the right
 * work request, what was posted behind it flushed in order, both QPs in the
 * right state, the right asynchronous event. One TAP point per case.
 *
 * Side A requests, side B responds. Cases that need the link cut run the
 * commands given with -x (cut) and -X (heal). -l is for foreign drivers that
 * leave out events and some details.
 */
#define _GNU_SOURCE
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "err_rig.h"

static void run_all(char **pat, int n)
{
	u64 t0;
	size_t i;

	for (i = 0; i < bad_count(); i++) {
		if (!rig_selected(bad_name(i), pat, n))
			continue;
		t0 = vu_now_us();
		bad_run(i);
		rig_report(bad_name(i), t0);
	}
	rig_run_cases(rnr_cases, pat, n);
	rig_run_cases(peer_cases, pat, n);
	rig_run_cases(state_cases, pat, n);
	rig_run_cases(cq_cases, pat, n);
}

int main(int argc, char **argv)
{
	unsigned int dog = 300;
	int c;

	while ((c = getopt(argc, argv, "a:b:46x:X:lw:")) != -1) {
		switch (c) {
		case 'a':
			spec_a = optarg;
			break;
		case 'b':
			spec_b = optarg;
			break;
		case '4':
			family = 4;
			break;
		case '6':
			family = 6;
			break;
		case 'x':
			cut_cmd = optarg;
			break;
		case 'X':
			heal_cmd = optarg;
			break;
		case 'l':
			lenient = true;
			break;
		case 'w':
			dog = atoi(optarg);
			break;
		default:
			spec_a = NULL;
			optind = argc;
		}
	}
	if (!spec_a || !spec_b || !cut_cmd != !heal_cmd) {
		fprintf(stderr,
			"verbs_errors: -a DEV -b DEV [-4|-6] [-l] [-x CUT -X HEAL] [CASE]\n");
		return 2;
	}
	vu_watchdog(dog);
	vu_open(&da, spec_a, family);
	vu_open(&db, spec_b, family);
	run_all(argv + optind, argc - optind);
	vu_close(&da);
	vu_close(&db);
	return vu_exit_status();
}
