// Enhances the pages of the shop. Without it, every form works.

/** Pictures above this size are made smaller before they are sent, in bytes: the service takes 4 MB. */
const LARGE_PICTURE = 1_500_000
/** The longer side of a picture that was made smaller. The QR code of a slip stays readable. */
const LONGEST_SIDE = 2_200

const byId = (id) => document.getElementById(id)

// A slow network must not make a clerk send a form twice.
document.addEventListener("submit", (event) => {
  for (const button of event.target.querySelectorAll("button:not([type=button])")) {
    button.setAttribute("aria-busy", "true")
  }
})

/** A smaller JPEG of a large picture; the picture itself when the browser cannot read it. */
const smaller = async (file) => {
  if (file.size <= LARGE_PICTURE) return file
  try {
    const bitmap = await createImageBitmap(file)
    const scale = Math.min(1, LONGEST_SIDE / Math.max(bitmap.width, bitmap.height))
    const canvas = document.createElement("canvas")
    canvas.width = Math.round(bitmap.width * scale)
    canvas.height = Math.round(bitmap.height * scale)
    canvas.getContext("2d").drawImage(bitmap, 0, 0, canvas.width, canvas.height)
    const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/jpeg", 0.9))
    return blob === null || blob.size >= file.size ? file : new File([blob], "slip.jpg", { type: "image/jpeg" })
  } catch {
    return file
  }
}

const enhanceCheck = (form) => {
  const [photo, picture, payload, status] = ["photo", "picture", "payload", "status"].map(byId)
  let isSending = false

  const send = () => {
    isSending = true
    form.classList.add("sending")
    status.textContent = form.dataset.checking
    form.requestSubmit()
  }

  const sendPicture = async (file) => {
    if (isSending) return
    isSending = true
    status.textContent = form.dataset.checking
    const transfer = new DataTransfer()
    transfer.items.add(await smaller(file))
    photo.value = ""
    payload.value = ""
    picture.files = transfer.files
    send()
  }

  const sendText = (text) => {
    if (isSending) return
    photo.value = ""
    picture.value = ""
    payload.value = text
    send()
  }

  for (const input of [photo, picture]) {
    input.addEventListener("change", () => {
      const [file] = input.files
      if (file !== undefined) void sendPicture(file)
    })
  }

  document.addEventListener("paste", (event) => {
    const file = [...event.clipboardData.files].find(({ type }) => type.startsWith("image/"))
    const text = event.clipboardData.getData("text/plain").trim()
    const isInField = event.target.closest("input, textarea") !== null
    if (file !== undefined) {
      event.preventDefault()
      void sendPicture(file)
    } else if (text !== "" && !isInField) {
      event.preventDefault()
      sendText(text)
    }
  })

  const drop = byId("drop")
  byId("drop-hint").hidden = false
  document.addEventListener("dragover", (event) => {
    event.preventDefault()
    drop.classList.add("over")
  })
  document.addEventListener("dragleave", (event) => {
    if (event.relatedTarget === null) drop.classList.remove("over")
  })
  document.addEventListener("drop", (event) => {
    event.preventDefault()
    drop.classList.remove("over")
    const [file] = event.dataTransfer.files
    if (file !== undefined) void sendPicture(file)
  })

  // The browser may show this page again from its memory, after Back.
  addEventListener("pageshow", () => {
    isSending = false
    form.classList.remove("sending")
    status.textContent = ""
    for (const button of form.querySelectorAll("[aria-busy]")) button.removeAttribute("aria-busy")
  })

  enhanceCamera(form, { sendPicture, sendText })
}

/** Live reading needs https or localhost. Elsewhere the field for a photo stays. */
const enhanceCamera = (form, { sendPicture, sendText }) => {
  if (navigator.mediaDevices?.getUserMedia === undefined) return
  const [dialog, video, scan, status] = ["camera", "video", "scan", "camera-status"].map(byId)
  const { camera, looking, noCamera, notASlip, reader } = form.dataset
  let close = () => {}
  scan.hidden = false
  byId("photo").closest(".source").hidden = true

  const stop = () => {
    close()
    close = () => {}
    dialog.close()
  }

  const open = async () => {
    status.textContent = looking
    dialog.showModal()
    try {
      const { openCamera } = await import(camera)
      const opened = await openCamera(video, reader, {
        onSlip: (text) => {
          stop()
          sendText(text)
        },
        onOther: () => {
          status.textContent = notASlip
        }
      })
      if (dialog.open) close = opened
      else opened()
    } catch {
      dialog.close()
      byId("status").textContent = noCamera
      byId("photo").closest(".source").hidden = false
    }
  }

  const shoot = async () => {
    const { photograph } = await import(camera)
    const blob = video.videoWidth === 0 ? null : await photograph(video)
    stop()
    if (blob !== null) void sendPicture(new File([blob], "slip.jpg", { type: "image/jpeg" }))
  }

  scan.addEventListener("click", () => void open())
  byId("shoot").addEventListener("click", () => void shoot())
  byId("cancel").addEventListener("click", stop)
  dialog.addEventListener("cancel", () => close())
}

/** Counts down to the next attempt of the bank, and then loads the page again. */
const enhanceCountdown = (element) => {
  const { now, seconds, text } = element.dataset
  const end = Date.now() + Number(seconds) * 1_000
  const show = () => {
    const left = Math.ceil((end - Date.now()) / 1_000)
    element.textContent = left > 2 ? text.replace("{}", String(left - 2)) : now
    if (left <= 0) location.reload()
    else setTimeout(show, 500)
  }
  show()
}

/** Shows the buttons that copy a key or a secret. */
const enhanceCopying = () => {
  if (navigator.clipboard === undefined) return
  for (const button of document.querySelectorAll("[data-copy]")) {
    button.hidden = false
    const copied = () => {
      button.textContent = button.dataset.copied
    }
    // A browser that refuses leaves the text to be selected by hand.
    button.addEventListener("click", () => {
      navigator.clipboard.writeText(button.dataset.copy).then(copied, () => {})
    })
  }
}

document.documentElement.classList.add("js")
enhanceCopying()
const check = byId("check")
if (check !== null) enhanceCheck(check)
const countdown = byId("countdown")
if (countdown !== null) enhanceCountdown(countdown)

if ("serviceWorker" in navigator) {
  const query = new URLSearchParams({ style: document.body.dataset.style })
  navigator.serviceWorker.register(`/app/service-worker.js?${query}`, { scope: "/app" }).catch(() => undefined)
}
