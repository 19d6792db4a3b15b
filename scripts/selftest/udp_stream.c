// SPDX-License-Identifier: GPL-2.0
/*
 * How fast UDP is at its best: the sender lets the stack cut (UDP_SEGMENT), the receiver
 * takes what the stack has put together (UDP_GRO).
 *
 *	udp_stream -s			receives until nothing comes for a second
 *	udp_stream -c ADDRESS SECONDS	sends; the receiver's figure is the one that counts
 *
 * The receiver prints MB/s (2^20 bytes) from its first to its last datagram and the share
 * of what was sent that it got, in percent.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/udp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define PORT	5202
/* With IP and UDP headers within an MTU of 1500, IPv4. */
#define DATAGRAM	1472
#define AT_ONCE		(DATAGRAM * 44)
#define BUFFER		(4 << 20)

static __noreturn void die(const char *what)
{
	perror(what);
	exit(1);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

static int udp_socket(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM, 0), size = BUFFER;

	if (fd < 0)
		die("socket");
	/* More than the limit needs a privilege; less than that does as well. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) ||
	    setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size)))
		fprintf(stderr, "buffers stay as they are: %s\n", strerror(errno));
	return fd;
}

/* Each datagram begins with the number of bytes that were sent before it. */
static int receive(void)
{
	static uint8_t buf[65536];
	struct sockaddr_in any = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	struct timeval patience = { .tv_sec = 20 };
	double first = 0, last = 0;
	uint64_t bytes = 0, end = 0, at;
	int fd = udp_socket(), one = 1;
	ssize_t n;

	if (bind(fd, (struct sockaddr *)&any, sizeof(any)))
		die("bind");
	if (setsockopt(fd, IPPROTO_UDP, UDP_GRO, &one, sizeof(one)))
		die("UDP_GRO");
	for (;;) {
		if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience)))
			die("SO_RCVTIMEO");
		n = recv(fd, buf, sizeof(buf), 0);
		if (n < (ssize_t)sizeof(at))
			break;
		last = now();
		if (!bytes)
			first = last;
		bytes += n;
		memcpy(&at, buf, sizeof(at));
		if (at + n > end)
			end = at + n;
		patience.tv_sec = 1;
	}
	if (last <= first) {
		fprintf(stderr, "nothing came\n");
		return 1;
	}
	printf("%.2f %.1f\n", bytes / (last - first) / (1 << 20), 100.0 * bytes / end);
	return 0;
}

static int transmit(const char *address, double seconds)
{
	static uint8_t buf[AT_ONCE];
	struct sockaddr_in to = { .sin_family = AF_INET, .sin_port = htons(PORT) };
	int fd = udp_socket(), size = DATAGRAM;
	double end = now() + seconds;
	uint64_t sent = 0, at;
	unsigned int i;

	if (inet_pton(AF_INET, address, &to.sin_addr) != 1) {
		fprintf(stderr, "not an IPv4 address: %s\n", address);
		return 1;
	}
	if (connect(fd, (struct sockaddr *)&to, sizeof(to)))
		die("connect");
	if (setsockopt(fd, IPPROTO_UDP, UDP_SEGMENT, &size, sizeof(size)))
		die("UDP_SEGMENT");
	while (now() < end) {
		for (i = 0; i < AT_ONCE; i += DATAGRAM) {
			at = sent + i;
			memcpy(buf + i, &at, sizeof(at));
		}
		if (send(fd, buf, sizeof(buf), 0) == sizeof(buf))
			sent += sizeof(buf);
		else if (errno != ENOBUFS && errno != ECONNREFUSED)
			die("send");
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "-s"))
		return receive();
	if (argc == 4 && !strcmp(argv[1], "-c"))
		return transmit(argv[2], atof(argv[3]));
	fprintf(stderr, "usage: udp_stream -s | -c ADDRESS SECONDS\n");
	return 2;
}
