package Shop::Order;

use strict;
use warnings;

=head1 NAME

sub fake { }

=cut

# Makes an order.
sub new {
    my ($class, %args) = @_;
    my $self = { name => "sub fake {", %args };
    return bless $self, $class;
}

sub total
{
    my $self = shift;
    my $n = $#{ $self->{items} };
    if ($self->{name} =~ m/sub (\w+) \{/) {
        $n++;
    }
    print <<EOT;
sub fake {
EOT
    return $n;
}

sub _one { return 1 }

package Shop::Paid;

sub is_paid { 1 }

1;

__END__

sub fake { }
