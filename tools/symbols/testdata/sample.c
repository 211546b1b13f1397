#include <stdio.h>

#define MAX(a, b) \
	((a) > (b) ? (a) : (b))

/* A list. */
struct list {
	struct list *next;
};

typedef struct {
	int x;
} point_t;

enum colour { RED, BLUE };

static int declared(int a);

/*
 * Adds.
 */
static inline int
add(int a, int b)
{
	if (a) {
		return call(b);
	}
	return a + b;
}

#ifdef A
int branch(int a) {
#else
int branch(void) {
#endif
	printf("{ int fake(void) {");
	return 0;
}

struct list *first(struct list *l,
		   int n)
{
	return l;
}

int array[] = { 1, 2 };

enum colour
mix(enum colour a)
{
	return a;
}

struct list
*last(struct list *l)
{
	return l;
}

struct __attribute__((packed)) pair
{
	int a, b;
};
