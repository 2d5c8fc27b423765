// Evaluated in the page by inspect-page.ts.
(() => {
  const findings = [];
  const describe = (element) =>
    `<${element.tagName.toLowerCase()} class="${element.getAttribute("class") ?? ""}"> ${(element.textContent ?? "").slice(0, 40)}`;
  const isSeen = (element) =>
    element.checkVisibility({ opacityProperty: true, visibilityProperty: true }) &&
    element.closest(".unseen") === null;
  if (document.documentElement.scrollWidth > innerWidth) findings.push("wider than the window");
  // Behind a dialog, nothing can be used.
  const scope = document.querySelector("dialog[open]") ?? document.body;
  for (const element of scope.querySelectorAll("*")) {
    if (!isSeen(element) || !(element instanceof HTMLElement)) continue;
    const { overflowX, overflowY, textOverflow, position } = getComputedStyle(element);
    const hasText = Array.from(element.childNodes).some(
      (node) => node.nodeType === Node.TEXT_NODE && (node.textContent ?? "").trim() !== "",
    );
    const isCut =
      (overflowX === "hidden" &&
        textOverflow !== "ellipsis" &&
        element.scrollWidth > element.clientWidth + 1) ||
      (overflowY === "hidden" && element.scrollHeight > element.clientHeight + 1);
    if (hasText && isCut && position !== "absolute") findings.push(`cut off: ${describe(element)}`);
  }
  for (const element of scope.querySelectorAll("a, button, input, select, textarea, summary")) {
    if (!isSeen(element)) continue;
    const { left, top, width, height } = element.getBoundingClientRect();
    const [x, y] = [left + width / 2, top + height / 2];
    if (x < 0 || y < 0 || x >= innerWidth || y >= innerHeight) continue;
    const hit = document.elementFromPoint(x, y);
    // Rows beyond the edge of a scrolling list are below the elements around the list.
    const scroller = element.closest(".rows, .run-body, .graph, .view, .side, .agent, pre, .wide");
    const edge = scroller?.getBoundingClientRect();
    const head = scroller?.querySelector(".axis, .list-head")?.getBoundingClientRect();
    if (
      edge !== undefined &&
      (y > edge.bottom || y < (head?.bottom ?? edge.top) || x > edge.right)
    ) {
      continue;
    }
    const isHit = hit !== null && (element.contains(hit) || hit.contains(element));
    const isUnderBar = hit?.closest(".composer, .heads, .legend") !== null;
    if (!isHit && !isUnderBar)
      findings.push(`covered: ${describe(element)} by ${hit === null ? "nothing" : describe(hit)}`);
    if (width < 16 || height < 16) findings.push(`small: ${describe(element)}`);
  }
  return findings;
})();
