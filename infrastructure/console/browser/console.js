/**
 * What pages can do beyond their forms: go through time by a slider, copy an id, open what a link leads to. Without it
 * every page works all the same.
 */
"use strict"

/** Shows what needs this script. @param {ParentNode} root */
const show = (root) => {
  for (const button of root.querySelectorAll("button[data-copy]")) button.hidden = false
  for (const slider of root.querySelectorAll(".slider")) slider.hidden = false
}

/** The moment of a field of Bangkok's time, in milliseconds. @param {string} local */
const millisOf = (local) => Date.parse(`${local}+07:00`)

/** Makes pale what had not happened yet. @param {number} at */
const paleAfter = (at) => {
  for (const event of document.querySelectorAll("[data-at]")) {
    event.classList.toggle("later", Number(event.dataset.at) > at)
  }
}

/** The slider and the field say the same; the form asks for the state by itself. @param {HTMLFormElement} form */
const joinMoment = (form) => {
  const slider = form.querySelector("input[data-times]")
  const field = form.querySelector("input[name=at]")
  const times = JSON.parse(slider.dataset.times)
  const say = () => slider.setAttribute("aria-valuetext", field.value.replace("T", " "))
  say()
  form.addEventListener("input", ({ target }) => {
    if (target === slider) field.value = times[slider.valueAsNumber] ?? field.value
    else slider.value = String(Math.max(0, times.findLastIndex((time) => time <= field.value)))
    say()
    if (field.value !== "") paleAfter(millisOf(field.value))
  })
}

/** The state that was asked for did not come, and what stands there is that of another moment. */
const sayAway = () => {
  const state = document.getElementById("state")
  if (state !== null) state.textContent = document.body.dataset.away
}

/** @param {HTMLButtonElement} button */
const copy = async (button) => {
  const said = button.textContent
  try {
    await navigator.clipboard.writeText(button.dataset.copy)
    button.textContent = document.body.dataset.copied
    setTimeout(() => {
      button.textContent = said
    }, 1_500)
  } catch {
    // Where the browser keeps the clipboard to itself, the text is at least chosen.
    getSelection().selectAllChildren(button.previousElementSibling)
  }
}

/** Opens the event that the address leads to. */
const openTarget = () => {
  const target = document.getElementById(location.hash.slice(1))
  const details = target !== null && target.matches(".event") ? target.querySelector("details") : null
  if (details === null) return
  details.open = true
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

for (const name of ["htmx:error", "htmx:response:error"]) document.addEventListener(name, sayAway)
window.addEventListener("hashchange", openTarget)
show(document)
for (const form of document.querySelectorAll("form.asof")) joinMoment(form)
openTarget()
