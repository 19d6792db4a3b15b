# SPDX-License-Identifier: GPL-2.0
# For people; what is built, and how, stands in Kbuild.

# The running kernel's headers, or the newest installed ones where those are missing (a container, a foreign kernel).
KDIR ?= $(firstword $(wildcard /lib/modules/$(shell uname -r)/build) \
	$(shell ls -d /lib/modules/*/build 2>/dev/null | sort -Vr | head -n 1))

modules modules_install clean:
	$(if $(KDIR),,$(error no kernel headers in /lib/modules/*/build: install linux-headers-amd64 or give KDIR=...))
	$(MAKE) -C $(KDIR) M=$(CURDIR) $@

check:
	scripts/check

demo:
	scripts/demo

.DEFAULT_GOAL := modules
.PHONY: modules modules_install clean check demo
