"""The start of an SSH server in a lab: private directories, accounts, and the emitted command.

Owns the shell's part. The programs that change accounts need all users of a machine, which only
root has; functions of the same names and arguments take their place when `users.sh` runs.
"""

from __future__ import annotations

FIRST_USER = 1000
"""The user number of every user of a switch; a lab of an ordinary user has no second one."""

USERS = "root:x:0:0::/:/bin/sh\nsshd:*:65533:65534::/run/sshd:/bin/false\n"
GROUPS = "root:x:0:\nadm:x:4:\nsudo:x:27:\nfrrvty:x:0:\nnogroup:x:65534:\n"
"""The accounts of a switch before `users.sh`. Sockets of FRR belong to the group 0 in a lab."""

MAIN = "Include /etc/ssh/sshd_config.d/*.conf\n"
"""The file of sshd that reads the emitted one, as Debian's does."""

VTYSH = "auth sufficient pam_permit.so\naccount sufficient pam_permit.so\n"
"""The PAM file of FRR's shell, as Debian's: the group of FRR's sockets decides who may use it."""

PRIVATE = """\
box=$1 frr=$2
shift 2
hostname -F "$box/etc/hostname"
mount --bind "$frr" "$box/run/frr"
mount --bind "$box/home" /home
mount --bind "$box/etc" /etc
mount --rbind "$box/run" /run
exec "$@"
"""
"""Gives a process the directories and the name of a switch, and FRR's sockets at their place."""

START = f"""\
useradd() {{  # --create-home --shell SHELL NAME
    echo "$4:!:{FIRST_USER}:{FIRST_USER}::/home/$4:$3" >> /etc/passwd
    echo "$4:x:{FIRST_USER}:" >> /etc/group
    install -d -o {FIRST_USER} -g {FIRST_USER} "/home/$4"
}}
usermod() {{  # --append --groups GROUPS NAME
    for group in $(echo "$3" | tr , ' '); do
        grep -q "^$group:" /etc/group
        sed -i "s/^\\($group:.*:\\)\\(.*\\)/\\1$4,\\2/" /etc/group
    done
}}
chpasswd() {{  # --encrypted, with NAME:HASH on standard input
    IFS=: read -r name hash
    sed -i "s|^$name:[^:]*|$name:$hash|" /etc/passwd
}}
. /etc/fabric/users.sh
export SSHD_OPTS="-e -o UsePAM=no"
eval "exec $1"
"""
"""Runs `users.sh`, then the emitted command of sshd. Its messages go to standard error, and it uses
no PAM, which is the machine's."""
