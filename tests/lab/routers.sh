# Boot a leaf, a spine and a router of the site with FRR in namespaces, and print their routes.
# $1 has leaf.conf, spine.conf and router.conf; the first ends of cables are those of the leaf.
set -eu
mount -t tmpfs none /run
mkdir -p /run/frr /run/netns
printf 'root:x:0:0::/root:/bin/sh\nfrr:x:0:0::/run:/bin/sh\n' > /run/passwd
printf 'root:x:0:\nfrr:x:0:\nfrrvty:x:0:\n' > /run/group
mount --bind /run/passwd /etc/passwd
mount --bind /run/group /etc/group
for node in leaf spine router; do
    ip netns add $node
    ip -n $node link set lo up
done
ip link add "$2" netns leaf type veth peer name "$3" netns router
ip link add "$4" netns leaf type veth peer name "$5" netns spine
ip -n leaf link set "$2" up
ip -n leaf link set "$4" up
ip -n router link set "$3" up
ip -n spine link set "$5" up
for node in leaf spine router; do
    place=/run/frr/$node
    mkdir -p $place
    cp "$1/$node.conf" $place/frr.conf
    touch $place/vtysh.conf $place/none.conf
    for daemon in zebra bgpd staticd bfdd; do
        ip netns exec $node /usr/lib/frr/$daemon -d -u frr -g frr -f $place/none.conf \
            -i $place/$daemon.pid -z $place/zserv.api --vty_socket $place -A 127.0.0.1 -P 0
    done
    ip netns exec $node vtysh -b --vty_socket $place --config_dir $place
done > /run/log 2>&1
ask() { ip netns exec "$1" vtysh --vty_socket "/run/frr/$1" --config_dir "/run/frr/$1" -c "$2"; }
tries=0
until ask spine 'show ip route bgp' | grep -q 0.0.0.0/0 || [ $tries -ge 60 ]; do
    tries=$((tries + 1))
    sleep 0.5
done
echo "router $(ask router 'show bgp ipv4 unicast json' | tr -d '\n')"
echo "spine $(ask spine 'show ip route bgp json' | tr -d '\n')"
