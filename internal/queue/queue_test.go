package queue_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/forayhq/foray/internal/queue"
)

// Everyone is served in order of arrival; who gives up, or finds the line full, costs the others nothing.
func TestOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := errors.New("full")
		q := queue.New(50, full)
		leave, err := q.Enter(t.Context(), "a", nil)
		if err != nil {
			t.Fatal(err)
		}
		var served []int
		var ahead []int
		for i := range 50 {
			ctx := t.Context()
			if i%10 == 3 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, time.Second)
				defer cancel()
			}
			go func() {
				leave, err := q.Enter(ctx, "a", func(n int) { ahead = append(ahead, n) })
				if i%10 == 3 {
					if !errors.Is(err, context.DeadlineExceeded) {
						t.Errorf("%d: %v", i, err)
					}
					return
				}
				served = append(served, i)
				leave()
			}()
			synctest.Wait()
		}
		if _, err := q.Enter(t.Context(), "a", nil); !errors.Is(err, full) {
			t.Errorf("the 51st: %v", err)
		}
		if leave, err := q.Enter(t.Context(), "b", nil); err != nil {
			t.Error(err)
		} else {
			leave()
		}
		time.Sleep(2 * time.Second)
		leave()
		synctest.Wait()
		if !slices.IsSorted(served) || len(served) != 45 || !slices.IsSorted(ahead) || ahead[49] != 50 {
			t.Errorf("served %v, who had %v before them", served, ahead)
		}
	})
}
