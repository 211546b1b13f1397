
/**
 * Fills box with count rows of one height, of which only those in view are in the document.
 * row(i) makes a row; height() is its height in pixels.
 */
function virtualList(box, { height, row }) {
  const space = el("div", { class: "space", role: "presentation" });
  box.replaceChildren(space);
  let count = 0;
  let drawn = "";
  function draw(again) {
    const h = height();
    const first = Math.max(0, Math.floor(box.scrollTop / h) - 5);
    const last = Math.min(count, Math.ceil((box.scrollTop + box.clientHeight) / h) + 5);
    if (!again && drawn === `${first} ${last}`) return;
    drawn = `${first} ${last}`;
    space.style.height = `${count * h}px`;
    const rows = [];
    for (let i = first; i < last; i++) {
      const r = row(i);
      r.style.transform = `translateY(${i * h}px)`;
      r.style.height = `${h}px`;
      rows.push(r);
    }
    space.replaceChildren(...rows);
  }
  let waiting = false;
  box.addEventListener("scroll", () => {
    if (waiting) return;
    waiting = true;
    requestAnimationFrame(() => { waiting = false; draw(false); });
  });
  new ResizeObserver(() => draw(true)).observe(box);
  return {
    set(n) { count = n; draw(true); },
    draw: () => draw(true),
    /** Scrolls as little as it takes to have row i in view. */
    show(i) {
      const h = height();
      const top = i * h;
      if (top < box.scrollTop) box.scrollTop = top;
      else if (top + h > box.scrollTop + box.clientHeight) box.scrollTop = top + h - box.clientHeight;
      draw(true);
    },
  };
}
