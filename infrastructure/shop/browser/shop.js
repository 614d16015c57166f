// Enhances the pages. Without it, every form works.

// A slow network must not make a clerk send a form twice.
document.addEventListener("submit", (event) => {
  const button = event.target.querySelector("button:not([type=button])")
  if (button !== null) setTimeout(() => button.setAttribute("aria-busy", "true"))
})
