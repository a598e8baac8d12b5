# Stratego in the protocol of the UCC Programming Competition 2012, in Perl: the first move that attacks, or one at random.
use strict;
use warnings;

$| = 1;
srand($ARGV[0] // 1);
my %step = (UP => [0, -1], DOWN => [0, 1], LEFT => [-1, 0], RIGHT => [1, 0]);
my ($colour) = split ' ', <STDIN>;
my @setup = ("FB8sB479B8", "BB31555583", "6724898974", "967B669999");
@setup = reverse @setup if $colour eq "BLUE";
print join("\n", @setup), "\n";

while (my $last = <STDIN>) {
    exit if $last =~ /^QUIT/;
    my @rows = map { scalar <STDIN> } 1 .. 10;
    my (@attacks, @moves);
    for my $y (0 .. 9) {
        for my $x (0 .. 9) {
            my $piece = substr($rows[$y], $x, 1);
            next if $piece !~ /[1-9s]/;
            for my $direction (sort keys %step) {
                my ($dx, $dy) = @{ $step{$direction} };
                my $steps = $piece eq "9" ? 9 : 1;
                for my $n (1 .. $steps) {
                    my ($tox, $toy) = ($x + $n * $dx, $y + $n * $dy);
                    last if $tox < 0 || $tox > 9 || $toy < 0 || $toy > 9;
                    my $target = substr($rows[$toy], $tox, 1);
                    my $move = "$x $y $direction" . ($n > 1 ? " $n" : "");
                    push @attacks, $move if $target eq "#";
                    push @moves, $move if $target eq ".";
                    last if $target ne ".";
                }
            }
        }
    }
    my @chosen = @attacks ? @attacks : @moves;
    print @chosen ? $chosen[rand @chosen] : "SURRENDER", "\n";
    my $own = <STDIN>;
    exit if !defined $own || $own =~ /^QUIT/;
}
