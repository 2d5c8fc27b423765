# Runs one command as a child process. When the command or Cadre ends, it kills every process that the command started.
#
#   perl supervisor.pl PRCTL
#
# PRCTL is the number of the system call prctl, or 0 where there is none. Descriptor 3 is a socket to Cadre. Cadre sends
# "BYTES COUNT\n", then BYTES bytes: COUNT arguments and the variables NAME=VALUE of the command, separated by NUL. The end
# of the stream, at the latest when Cadre dies, ends every process. The supervisor answers "started PID" or "failed ERRNO",
# and at the end "ended STATUS" with the status in the form of wait(2).
#
# It loads only the module strict, because it starts with each command.
use strict;

sub PR_SET_CHILD_SUBREAPER { 36 }
sub WNOHANG { 1 }

my ($prctl) = @ARGV;
open(my $cadre, '+<&=', 3) or exit 1;
my ($arguments, $environment) = read_request();
my $is_subreaper = $prctl && syscall($prctl + 0, PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0;

# A signal before select would be missed; a byte in a pipe is not. Signals handled here have their default action in the command.
my $is_awake = 0;
my @asked;
pipe(my $woken, my $wake) or exit 1;
$SIG{CHLD} = sub { wake_up() };
$SIG{PIPE} = sub { };
$SIG{$_} = sub { push(@asked, $_[0]); wake_up() } for qw(HUP INT QUIT TERM);

my $command = start();

# Only Cadre may keep the command's streams open.
open(STDIN, '<', '/dev/null');
open(STDOUT, '>', '/dev/null');
open(STDERR, '>', '/dev/null');

my $status;
supervise();
kill_descendants();
answer('ended ' . ($status // 9));

sub read_request {
  my ($text, $bytes, $count) = ('');
  until (($bytes, $count) = $text =~ /^(\d+) (\d+)\n/) { read_more($text) }
  $text =~ s/^.*\n//;
  while (length($text) < $bytes) { read_more($text) }
  my @words = split(/\0/, $text, -1);
  return ([splice(@words, 0, $count)], \@words);
}

sub read_more {
  exit 1 unless sysread($cadre, $_[0], 65536, length $_[0]);
}

# The command gets its own process group, so that a signal it sends to the group does not reach the supervisor.
sub start {
  pipe(my $failure, my $report) or exit 1;
  my $pid = fork;
  if (defined $pid && $pid == 0) {
    setpgrp(0, 0);
    close($cadre);
    %ENV = map { split(/=/, $_, 2) } @$environment;
    exec { $arguments->[0] } @$arguments or syswrite($report, $! + 0);
    exit 127;
  }
  my $errno = defined $pid ? '' : $! + 0;
  close($report);
  # The other end is closed by exec. A signal may interrupt the wait.
  1 until !defined $pid || defined sysread($failure, $errno, 16);
  if ($errno ne '') {
    answer("failed $errno");
    exit 1;
  }
  answer("started $pid");
  return $pid;
}

# Waits until the command ends or Cadre ends it. Forwards termination signals to every process. Perl runs a handler between two
# of its operations: a signal just before the system call select does not end that call, so the wait has a limit.
sub supervise {
  until (reap() || defined $status) {
    my $readable = '';
    vec($readable, fileno($_), 1) = 1 for $woken, $cadre;
    next if select($readable, undef, undef, 0.25) < 1;
    return if vec($readable, fileno($cadre), 1);
    sysread($woken, my $bytes, 64);
    $is_awake = 0;
    while (my $signal = shift @asked) { kill($signal, descendants()) }
  }
}

sub wake_up {
  syswrite($wake, 'x') unless $is_awake++;
}

# Reaps ended children; returns whether none is left.
sub reap {
  while (1) {
    my $pid = waitpid(-1, WNOHANG);
    $status = $? if $pid == $command;
    return $pid < 0 if $pid <= 0;
  }
}

# Orphans become children of a subreaper, so no process is left when it has no child. Gives up after five seconds on
# processes that belong to another user or hang in the kernel.
sub kill_descendants {
  kill('KILL', descendants()) unless $is_subreaper;
  for my $round (1 .. 125) {
    return if reap();
    kill('KILL', descendants());
    select(undef, undef, undef, $round < 50 ? $round / 1000 : 0.05);
  }
}

# Without a subreaper, only the process group is known.
sub descendants {
  return -$command unless $is_subreaper;
  opendir(my $proc, '/proc') or return -$command;
  my %children;
  for my $pid (grep { /^\d+$/ } readdir $proc) {
    open(my $file, '<', "/proc/$pid/stat") or next;
    local $/;
    # The program name, in parentheses, may contain anything.
    push(@{$children{$1}}, $pid) if (readline($file) // '') =~ /.*\) \S (\d+) /s;
  }
  my @found = @{$children{$$} // []};
  for (my $at = 0; $at < @found; $at++) { push(@found, @{$children{$found[$at]} // []}) }
  return @found;
}

sub answer {
  syswrite($cadre, "$_[0]\n");
}
