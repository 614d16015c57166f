/**
 * Additions to the pages of the documentation: results while the reader types, buttons that copy, and the language of
 * code, which is remembered. Every page works without them.
 */
const LANGUAGE = "sliptrail.docs.language"

/** Storage can be refused, for example in a private window. */
const remembered = () => {
  try {
    return localStorage.getItem(LANGUAGE)
  } catch {
    return null
  }
}

/** @param {string} language */
const remember = (language) => {
  try {
    localStorage.setItem(LANGUAGE, language)
  } catch {
    // The choice then holds for this page.
  }
}

/** Shows the language in all blocks that have it. @param {string} language */
const showLanguage = (language) => {
  for (const input of document.querySelectorAll(".tabs input")) if (input.value === language) input.checked = true
}

document.addEventListener("change", ({ target }) => {
  if (!target.matches(".tabs input")) return
  const before = target.getBoundingClientRect().top
  showLanguage(target.value)
  remember(target.value)
  // Blocks above it may have another height now: the chosen tab stays where it is.
  scrollBy(0, target.getBoundingClientRect().top - before)
})

const status = document.getElementById("status")
const form = document.querySelector("form.search")
/** In the language of the page. */
const texts = form.dataset

/** @param {HTMLButtonElement} button */
const copy = async (button) => {
  const code = button.parentElement.querySelector("code")
  try {
    await navigator.clipboard.writeText(code.textContent)
    button.textContent = texts.copied
    status.textContent = texts.copied
    setTimeout(() => {
      button.textContent = texts.copy
      status.textContent = ""
    }, 1_500)
  } catch {
    // Without access to the clipboard, the code is at least selected.
    getSelection().selectAllChildren(code)
  }
}

const box = document.getElementById("q")
const list = document.getElementById("results")

/** @type {Promise<(query: string) => ReadonlyArray<object>> | undefined} */
let searching

/** Loads index and ranking with the first use. A failure is forgotten, so that the next use tries again. */
const loadSearch = () => {
  searching ??= Promise.all([import(form.dataset.ranking), fetch(form.dataset.index).then((answer) => answer.json())])
    .then(([{ search }, entries]) => (query) => search(entries, query, 8))
    .catch((error) => {
      searching = undefined
      throw error
    })
  return searching
}

/** The position of the active result; -1 without one. */
let active = -1

const close = () => {
  list.hidden = true
  active = -1
  box.setAttribute("aria-expanded", "false")
  box.removeAttribute("aria-activedescendant")
}

/** @param {number} index */
const activate = (index) => {
  const options = [...list.children]
  active = index
  for (const [at, option] of options.entries()) option.setAttribute("aria-selected", String(at === index))
  if (index < 0) {
    box.removeAttribute("aria-activedescendant")
    return
  }
  box.setAttribute("aria-activedescendant", options[index].id)
  options[index].scrollIntoView({ block: "nearest" })
}

const line = (name, text) => {
  const element = document.createElement("span")
  element.className = name
  element.textContent = text
  return element
}

/** An option whose content is text only: entries and query are never parsed as HTML. */
const optionOf = ({ detail, kind, title, url }, index) => {
  const option = document.createElement("li")
  option.id = `result-${index}`
  option.role = "option"
  option.dataset.url = url
  option.append(line("title", title), line("type", kind), line("detail", detail))
  return option
}

const showResults = async () => {
  const query = box.value
  if (query.trim() === "") {
    close()
    return
  }
  try {
    const search = await loadSearch()
    // In the meantime a later key may have changed the query, or the focus may have left the box.
    if (box.value !== query || document.activeElement !== box) return
    const found = search(query)
    list.replaceChildren(...found.map(optionOf))
    list.hidden = found.length === 0
    box.setAttribute("aria-expanded", String(found.length > 0))
    activate(-1)
    const { length } = found
    status.textContent = length === 0 ? texts.none : length === 1 ? texts.one : texts.many.replace("{count}", length)
  } catch {
    // Enter sends the form, and the server answers with the results.
    close()
  }
}

box.setAttribute("role", "combobox")
box.setAttribute("aria-controls", "results")
box.setAttribute("aria-autocomplete", "list")
box.setAttribute("aria-expanded", "false")
box.addEventListener("focus", () => void loadSearch().catch(() => {}))
box.addEventListener("input", () => void showResults())
box.addEventListener("keydown", (event) => {
  const count = list.hidden ? 0 : list.children.length
  if (event.key === "Escape") close()
  if (count === 0) return
  if (event.key === "ArrowDown" || event.key === "ArrowUp") {
    event.preventDefault()
    const next = active + (event.key === "ArrowDown" ? 1 : -1)
    activate(next < -1 ? count - 1 : next === count ? -1 : next)
  }
  if (event.key === "Enter" && active >= 0) {
    event.preventDefault()
    location.assign(list.children[active].dataset.url)
    close()
  }
})

// The box keeps the focus while a result is clicked: leaving the form closes the list.
list.addEventListener("mousedown", (event) => event.preventDefault())
form.addEventListener("focusout", ({ relatedTarget }) => {
  if (!form.contains(relatedTarget)) close()
})

document.addEventListener("click", ({ target }) => {
  const button = target.closest("button.copy")
  if (button !== null) void copy(button)
  const option = target.closest("#results li")
  if (option !== null) {
    location.assign(option.dataset.url)
    close()
  }
})

document.addEventListener("keydown", (event) => {
  const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select") !== null
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTyping) return
  event.preventDefault()
  box.focus()
  box.select()
})

/** The id in the address; "" for one that is not valid. */
const targetId = () => {
  try {
    return decodeURIComponent(location.hash.slice(1))
  } catch {
    return ""
  }
}

/** The anchor of an operation was on one page with all others: follows the link that stands in its place. */
const followMoved = () => {
  const link = document.getElementById(targetId())?.closest("[data-moved]")?.querySelector("a")
  if (link !== null && link !== undefined) location.replace(link.href)
}

for (const button of document.querySelectorAll("button.copy")) button.hidden = false
const language = remembered()
if (language !== null) {
  showLanguage(language)
  // Blocks have another height now: the element of the address may have moved.
  document.getElementById(targetId())?.scrollIntoView()
}
followMoved()
window.addEventListener("hashchange", followMoved)
