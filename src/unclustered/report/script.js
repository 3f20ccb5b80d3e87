"use strict";
// Shows which sample is under the pointer. The page is complete without it.
(() => {
  const map = JSON.parse(document.getElementById("record").textContent).map;
  if (!map || !map.points) return;
  const { x, y, ids, labels } = map.points;
  for (const hint of document.querySelectorAll(".hint")) hint.hidden = false;
  const tip = document.getElementById("tip");
  const reach = 14;
  for (const svg of document.querySelectorAll("svg.map")) {
    const [left, right, top, bottom, x0, x1, y0, y1] = svg.dataset.frame.split(" ").map(Number);
    const across = x.map((v) => left + ((v - x0) / (x1 - x0)) * (right - left));
    const down = y.map((v) => bottom - ((v - y0) / (y1 - y0)) * (bottom - top));
    const ring = document.createElementNS(svg.namespaceURI, "circle");
    ring.setAttribute("r", 6);
    ring.setAttribute("class", "here");
    const hide = () => { tip.hidden = true; ring.remove(); };
    const show = (event) => {
      const box = svg.getBoundingClientRect();
      const scale = svg.viewBox.baseVal.width / box.width;
      const px = (event.clientX - box.left) * scale;
      const py = (event.clientY - box.top) * scale;
      let best = -1, least = reach * reach;
      for (let k = 0; k < across.length; k++) {
        const d = (across[k] - px) ** 2 + (down[k] - py) ** 2;
        if (d < least) { least = d; best = k; }
      }
      if (best < 0) return hide();
      const label = labels && { 1: ", label +1", "-1": ", label \u22121", 0: ", no label" }[labels[best]];
      tip.textContent = `${ids[best]}: ${best < map.n_a ? "A" : "B"}${label || ""}`;
      tip.hidden = false;
      ring.setAttribute("cx", across[best]);
      ring.setAttribute("cy", down[best]);
      svg.append(ring);
      const room = document.documentElement.clientWidth - tip.offsetWidth - 8;
      tip.style.left = `${Math.max(4, Math.min(event.pageX + 12, scrollX + room))}px`;
      tip.style.top = `${event.pageY + 14}px`;
    };
    svg.addEventListener("pointermove", show);
    svg.addEventListener("pointerdown", show);
    // A finger that is lifted leaves too, and wants to read.
    svg.addEventListener("pointerleave", (event) => event.pointerType === "mouse" && hide());
  }
})();
