# Paper soccer in the protocol of CodinGame, in Perl: it plays at random. The pitch is 0..8 by -1..11, from the upper goal down.
use strict;
use warnings;

$| = 1;
srand($ARGV[0] // 1);
my @dx = (0, 1, 1, 1, 0, -1, -1, -1);
my @dy = (-1, -1, 0, 1, 1, 1, 0, -1);
my (%drawn, %touched);
my ($bx, $by) = (4, 5);

sub edge { my ($x, $y, $u, $v) = @_; return join(" ", sort("$x,$y", "$u,$v")) }
sub draw { my ($x, $y, $u, $v) = @_; $drawn{edge(@_)} = $touched{"$x,$y"} = $touched{"$u,$v"} = 1 }
sub in_goal { return $_[0] == -1 || $_[0] == 11 }

sub free_way {
    my ($x, $y) = ($bx + $dx[$_[0]], $by + $dy[$_[0]]);
    return 0 if $x < 0 || $x > 8 || $y < -1 || $y > 11 || $drawn{edge($bx, $by, $x, $y)};
    # Neither beside a goal, nor round its post.
    return !((in_goal($by) || in_goal($y)) && ($bx < 3 || $bx > 5 || $x < 3 || $x > 5));
}

sub step {
    my ($x, $y) = ($bx + $dx[$_[0]], $by + $dy[$_[0]]);
    my $bounces = $touched{"$x,$y"};
    draw($bx, $by, $x, $y);
    ($bx, $by) = ($x, $y);
    return $bounces && !in_goal($by);
}

for my $y (0 .. 9) { draw(0, $y, 0, $y + 1); draw(8, $y, 8, $y + 1) }
for my $x (0 .. 2, 5 .. 7) { draw($x, 0, $x + 1, 0); draw($x, 10, $x + 1, 10) }
for my $x (3, 4) { draw($x, -1, $x + 1, -1); draw($x, 11, $x + 1, 11) }
for my $x (3, 5) { draw($x, -1, $x, 0); draw($x, 10, $x, 11) }
$touched{"4,5"} = 1;

my $first = <STDIN>;
while (defined(my $length = <STDIN>)) {
    chomp(my $told = <STDIN> // exit);
    if ($told ne "-") { step($_) for split(//, $told) }
    my $move = "";
    while (my @ways = grep { free_way($_) } 0 .. 7) {
        my $digit = $ways[rand @ways];
        $move .= $digit;
        last if !step($digit);
    }
    print "$move\n";
}
