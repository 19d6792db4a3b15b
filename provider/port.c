// SPDX-License-Identifier: GPL-2.0
/*
 * rxt provider: what the device and its one port say of themselves.
 *
 * What lives here: limits, capabilities, GUID, port state, speed, MTU, the sysfs
 * attributes. What may not: reacting to changes (netdev.c).
 */
#include <linux/etherdevice.h>
#include <linux/ethtool.h>
#include <linux/random.h>
#include <linux/rtnetlink.h>
#include <rdma/ib_mad.h>
#include "provider.h"

#define PKEY_FULL	0xffff

/* ---- device ---- */

int rxt_query_device(struct ib_device *ibdev, struct ib_device_attr *attr,
		     struct ib_udata *uhw)
{
	struct rxt_link *link = to_link(ibdev);
	int err;

	err = rxt_udata_check(uhw, 0);
	if (err)
		return err;

	memset(attr, 0, sizeof(*attr));
	attr->sys_image_guid = link->guid;
	attr->vendor_id = 0xffffff;	/* IBTA A3.3.1: no vendor */
	attr->max_mr_size = ~0ULL;
	attr->page_size_cap = PAGE_MASK & U32_MAX;
	attr->device_cap_flags = IB_DEVICE_CURR_QP_STATE_MOD |
				 IB_DEVICE_PORT_ACTIVE_EVENT |
				 IB_DEVICE_SYS_IMAGE_GUID |
				 IB_DEVICE_RC_RNR_NAK_GEN |
				 IB_DEVICE_SRQ_RESIZE |
				 IB_DEVICE_MEM_WINDOW |
				 IB_DEVICE_MEM_WINDOW_TYPE_2B |
				 IB_DEVICE_MEM_MGT_EXTENSIONS |
				 RXT_DEV_ATOMIC_WRITE;
	attr->kernel_cap_flags = IBK_ALLOW_USER_UNREG;
	rxt_paging_caps(attr);
	attr->atomic_cap = IB_ATOMIC_HCA;
	attr->local_ca_ack_delay = 15;
	attr->max_pkeys = 1;

	attr->max_qp = RXT_MAX_QP;
	attr->max_qp_wr = RXT_MAX_QP_WR;
	attr->max_send_sge = RXT_MAX_SGE;
	attr->max_recv_sge = RXT_MAX_SGE;
	attr->max_sge_rd = RXT_MAX_SGE;
	attr->max_cq = RXT_MAX_OBJ;
	attr->max_cqe = RXT_MAX_CQE;
	attr->max_mr = RXT_MAX_MR;
	attr->max_mw = RXT_MAX_MR;
	attr->max_fast_reg_page_list_len = RXT_MAX_FAST_BLOCKS;
	attr->max_pd = RXT_MAX_OBJ;
	attr->max_ah = rxt_link_has(link, RXT_CAP_UD) ? RXT_MAX_AH : 0;
	if (rxt_link_has(link, RXT_CAP_MCAST)) {
		attr->max_mcast_grp = RXT_MAX_MCAST;
		attr->max_mcast_qp_attach = RXT_MAX_MCAST;
		attr->max_total_mcast_qp_attach = RXT_MAX_MCAST;
	}
	attr->max_srq = RXT_MAX_OBJ;
	attr->max_srq_wr = RXT_MAX_SRQ_WR;
	attr->max_srq_sge = RXT_MAX_SGE;
	attr->max_qp_rd_atom = RXT_MAX_RD_ATOMIC;
	attr->max_qp_init_rd_atom = RXT_MAX_RD_ATOMIC;
	attr->max_res_rd_atom = RXT_MAX_QP * RXT_MAX_RD_ATOMIC;
	return 0;
}

int rxt_modify_device(struct ib_device *ibdev, int mask,
		      struct ib_device_modify *attr)
{
	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	if (mask & IB_DEVICE_MODIFY_NODE_DESC)
		memcpy(ibdev->node_desc, attr->node_desc,
		       sizeof(ibdev->node_desc));
	return 0;
}

/**
 * rxt_make_guid - a GUID that no other device here has
 * @link: with its netdev and id set
 *
 * The netdev's Ethernet address around the link's id: other drivers put ff:fe
 * there, which is kept free. A netdev without an address gets a random GUID with
 * the bit of locally administered ones.
 */
void rxt_make_guid(struct rxt_link *link)
{
	const struct net_device *ndev = link->ndev;
	u16 id = link->id + 1;
	u8 guid[8];

	if (id >= 0xfffe)
		id++;
	get_random_bytes(guid, sizeof(guid));
	guid[0] = (guid[0] | 0x02) & ~0x01;
	if (ndev->addr_len == ETH_ALEN && !is_zero_ether_addr(ndev->dev_addr)) {
		memcpy(guid, ndev->dev_addr, 3);
		memcpy(guid + 5, ndev->dev_addr + 3, 3);
		guid[0] ^= 0x02;	/* EUI-64 has that bit inverted */
		guid[3] = id >> 8;
		guid[4] = id;
	}
	memcpy(&link->guid, guid, sizeof(link->guid));
}

/* ---- port ---- */

bool rxt_netdev_active(const struct net_device *ndev)
{
	return netif_running(ndev) && netif_carrier_ok(ndev);
}

static void set_mtu(const struct rxt_link *link, struct ib_port_attr *attr)
{
	int room = (int)READ_ONCE(link->ndev->mtu) - link->dev.be->hdr_room;

	attr->max_mtu = min_t(enum ib_mtu, link->dev.be->max_mtu, IB_MTU_4096);
	attr->active_mtu = min(ib_mtu_int_to_enum(room), attr->max_mtu);
}

static u32 netdev_mbps(struct net_device *ndev)
{
	struct ethtool_link_ksettings ks;
	u32 mbps = SPEED_UNKNOWN;

	rtnl_lock();
	if (READ_ONCE(ndev->reg_state) == NETREG_REGISTERED &&
	    !__ethtool_get_link_ksettings(ndev, &ks))
		mbps = ks.base.speed;
	rtnl_unlock();
	/* Most netdevs that know no speed move data within the machine. */
	return mbps && mbps != (u32)SPEED_UNKNOWN ? mbps : SPEED_10000;
}

static void set_speed(const struct rxt_link *link, struct ib_port_attr *attr)
{
	static const struct {
		u32	mbps;
		u16	speed;
		u8	width;
	} rates[] = {
		{ SPEED_2500,	IB_SPEED_SDR,	IB_WIDTH_1X },
		{ SPEED_5000,	IB_SPEED_DDR,	IB_WIDTH_1X },
		{ SPEED_10000,	IB_SPEED_FDR10,	IB_WIDTH_1X },
		{ SPEED_25000,	IB_SPEED_EDR,	IB_WIDTH_1X },
		{ SPEED_40000,	IB_SPEED_FDR10,	IB_WIDTH_4X },
		{ SPEED_50000,	IB_SPEED_HDR,	IB_WIDTH_1X },
		{ SPEED_100000,	IB_SPEED_EDR,	IB_WIDTH_4X },
		{ SPEED_200000,	IB_SPEED_HDR,	IB_WIDTH_4X },
		{ U32_MAX,	IB_SPEED_NDR,	IB_WIDTH_4X },
	};
	u32 mbps = netdev_mbps(link->ndev);
	int i = 0;

	while (rates[i].mbps < mbps)
		i++;
	attr->active_speed = rates[i].speed;
	attr->active_width = rates[i].width;
}

int rxt_query_port(struct ib_device *ibdev, u32 port, struct ib_port_attr *attr)
{
	struct rxt_link *link = to_link(ibdev);

	set_mtu(link, attr);
	set_speed(link, attr);
	if (rxt_netdev_active(link->ndev)) {
		attr->state = IB_PORT_ACTIVE;
		attr->phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	} else {
		attr->state = IB_PORT_DOWN;
		attr->phys_state = netif_running(link->ndev) ?
				   IB_PORT_PHYS_STATE_POLLING :
				   IB_PORT_PHYS_STATE_DISABLED;
	}
	attr->gid_tbl_len = RXT_GID_TABLE_LEN;
	attr->ip_gids = true;
	attr->pkey_tbl_len = 1;
	attr->max_msg_sz = RXT_MAX_MSG;
	attr->max_vl_num = 1;
	attr->port_cap_flags = rxt_link_has(link, RXT_CAP_UD) ?
			       IB_PORT_CM_SUP : 0;
	return 0;
}

int rxt_query_pkey(struct ib_device *ibdev, u32 port, u16 index, u16 *pkey)
{
	if (index)
		return -EINVAL;
	*pkey = PKEY_FULL;
	return 0;
}

int rxt_port_immutable(struct ib_device *ibdev, u32 port,
		       struct ib_port_immutable *imm)
{
	imm->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	imm->max_mad_size = IB_MGMT_MAD_SIZE;
	/* MADs, and with them the connection manager, travel as datagrams. */
	if (!rxt_link_has(to_link(ibdev), RXT_CAP_UD)) {
		imm->core_cap_flags &= ~(RDMA_CORE_CAP_IB_MAD |
					 RDMA_CORE_CAP_IB_CM);
		imm->max_mad_size = 0;
	}
	imm->gid_tbl_len = RXT_GID_TABLE_LEN;
	imm->pkey_tbl_len = 1;
	return 0;
}

enum rdma_link_layer rxt_link_layer(struct ib_device *ibdev, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

/* ---- sysfs ---- */

static ssize_t parent_show(struct device *device, struct device_attribute *attr,
			   char *buf)
{
	struct rxt_link *link = rdma_device_to_drv_device(device,
							  struct rxt_link,
							  ibdev);

	return sysfs_emit(buf, "%s\n", netdev_name(link->ndev));
}
static DEVICE_ATTR_RO(parent);

static ssize_t backend_show(struct device *device,
			    struct device_attribute *attr, char *buf)
{
	struct rxt_link *link = rdma_device_to_drv_device(device,
							  struct rxt_link,
							  ibdev);

	return sysfs_emit(buf, "%s\n", link->dev.be->name);
}
static DEVICE_ATTR_RO(backend);

static struct attribute *device_attrs[] = {
	&dev_attr_parent.attr,
	&dev_attr_backend.attr,
	NULL,
};

const struct attribute_group rxt_device_group = {
	.attrs = device_attrs,
};
