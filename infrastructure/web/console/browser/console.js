/**
 * Additions to the pages: the slider over the events, buttons that copy, links that open an event, and the key for the
 * search box. Every page works without them.
 */
"use strict"

const BANGKOK_OFFSET = 7 * 3_600_000

/** A time in milliseconds since 1970, as a date and time field holds it in Bangkok. @param {number} time */
const toField = (time) => new Date(time + BANGKOK_OFFSET).toISOString().slice(0, -1)

/** @param {string} text */
const fromField = (text) => Date.parse(`${text}+07:00`)

/** @type {AbortController | undefined} */
let loading

/** Loads the state at the form's time. A newer request replaces an older one. @param {HTMLFormElement} form */
const loadState = async (form) => {
  loading?.abort()
  loading = new AbortController()
  const { signal } = loading
  const state = document.getElementById("state")
  try {
    const query = new URLSearchParams(new FormData(form))
    const response = await fetch(`${form.getAttribute("action")}?${query}`, {
      signal,
      headers: { "x-console-fragment": "state" }
    })
    if (response.status === 401) {
      location.assign(`/console/login?to=${encodeURIComponent(location.pathname)}`)
      return
    }
    if (!response.ok) throw new Error(`status ${response.status}`)
    const content = await response.text()
    if (!signal.aborted) state.innerHTML = content
  } catch {
    if (!signal.aborted) state.textContent = document.body.dataset.unavailable
  }
}

/** Makes events after the selected time pale. @param {number} at */
const markLater = (at) => {
  for (const event of document.querySelectorAll("[data-at]")) {
    event.classList.toggle("later", Number(event.dataset.at) > at)
  }
}

/** Connects the slider with the field; every change loads the state. @param {HTMLFormElement} form */
const connectSlider = (form) => {
  const slider = form.querySelector("input[data-times]")
  const field = form.querySelector("input[name=at]")
  const times = JSON.parse(slider.dataset.times)
  /** @type {number | undefined} */
  let timer
  const describe = () => slider.setAttribute("aria-valuetext", field.value.replace("T", " "))
  describe()
  form.addEventListener("input", ({ target }) => {
    if (target === slider) field.value = toField(times[slider.valueAsNumber] ?? fromField(field.value))
    else slider.value = String(Math.max(0, times.findLastIndex((time) => time <= fromField(field.value))))
    describe()
    if (field.value !== "") markLater(fromField(field.value))
    clearTimeout(timer)
    timer = setTimeout(() => void loadState(form), 150)
  })
  form.addEventListener("submit", (event) => {
    event.preventDefault()
    clearTimeout(timer)
    void loadState(form)
  })
}

/** @param {HTMLButtonElement} button */
const copy = async (button) => {
  const label = button.textContent
  try {
    await navigator.clipboard.writeText(button.dataset.copy)
    button.textContent = document.body.dataset.copied
    setTimeout(() => {
      button.textContent = label
    }, 1_500)
  } catch {
    // Without access to the clipboard, the text is at least selected.
    getSelection().selectAllChildren(button.previousElementSibling)
  }
}

/** Opens the event of the URL's fragment. */
const openTarget = () => {
  const target = document.getElementById(location.hash.slice(1))
  const details = target !== null && target.matches(".event") ? target.querySelector("details") : null
  if (details === null) return
  details.open = true
  const cluster = target.closest(".cluster > details")
  if (cluster !== null) cluster.open = true
  details.querySelector("summary").focus()
}

document.addEventListener("click", ({ target }) => {
  const button = target instanceof Element ? target.closest("button[data-copy]") : null
  if (button !== null) void copy(button)
})

document.addEventListener("keydown", (event) => {
  const { ctrlKey, key, metaKey, target } = event
  const isTyping = target instanceof Element && target.closest("input, textarea, select") !== null
  if (key === "/" && !ctrlKey && !metaKey && !isTyping) {
    const box = document.getElementById("q")
    if (box === null) return
    event.preventDefault()
    box.focus()
  }
})

window.addEventListener("hashchange", openTarget)
for (const element of document.querySelectorAll("button[data-copy], .slider")) element.hidden = false
for (const form of document.querySelectorAll("form.time")) connectSlider(form)
openTarget()
