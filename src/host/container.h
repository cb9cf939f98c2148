// SPDX-License-Identifier: Apache-2.0
/* host/container.h: what the path of a cgroup says of containers and units. */
#ifndef OP_HOST_CONTAINER_H
#define OP_HOST_CONTAINER_H

#include "base/view.h"

/* The id of the container, as Docker, containerd, CRI-O, Podman and ECS put it
 * into paths:
 *
 *	/docker/ID				/system.slice/docker-ID.scope
 *	/kubepods/burstable/podUID/ID		.../cri-containerd-ID.scope
 *	/system.slice/crio-ID.scope		.../libpod-ID.scope/container
 *	/kubepods-pod1.slice:cri-containerd:ID	/ecs/TASK/ID
 *
 * Of containers in containers the innermost. Empty: none. */
struct op_view op_container_id(struct op_view path);

/* The systemd service, without ".service": "nginx" of
 * /system.slice/nginx.service. Empty: none. May have escapes of systemd. */
struct op_view op_systemd_service(struct op_view path);

/* The path in the text of /proc/PID/cgroup: that of version 2, or of version 1
 * the one that says most. */
struct op_view op_cgroup_path(struct op_view text);

#endif
