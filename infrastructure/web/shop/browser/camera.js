// Reads QR codes live from the camera. shop.js loads this file when the clerk opens the camera.

/** How often a picture of the camera is read, in milliseconds: a slower phone must not get hot. */
const PERIOD = 150
/** The longer side of the picture that is read. */
const READ_SIZE = 800

/** The mini QR code of a bank's slip: a header of the API with the number 000001 first, a checksum last. */
const BANK_SLIP = /^00\d\d0006000001.+910[34][0-9A-F]{3,4}$/iu

const loadReader = (path) =>
  new Promise((resolve, reject) => {
    const element = document.createElement("script")
    element.src = path
    element.onload = () => resolve(window.jsQR)
    element.onerror = () => reject(new Error("the reader could not be loaded"))
    document.head.append(element)
  })

/** A function from a canvas to the text of its QR code; undefined without one. */
const makeReader = async (path) => {
  if ("BarcodeDetector" in window) {
    const formats = await window.BarcodeDetector.getSupportedFormats()
    if (formats.includes("qr_code")) {
      const detector = new window.BarcodeDetector({ formats: ["qr_code"] })
      return async (canvas) => (await detector.detect(canvas))[0]?.rawValue
    }
  }
  const jsQR = await loadReader(path)
  return (canvas) => {
    const { data, height, width } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height)
    return jsQR(data, width, height)?.data || undefined
  }
}

const draw = (video, longest) => {
  const { videoHeight: height, videoWidth: width } = video
  const scale = Math.min(1, longest / Math.max(width, height))
  const canvas = document.createElement("canvas")
  canvas.width = Math.round(width * scale)
  canvas.height = Math.round(height * scale)
  canvas.getContext("2d", { willReadFrequently: true }).drawImage(video, 0, 0, canvas.width, canvas.height)
  return canvas
}

/** The current picture of the camera as a file. */
export const photograph = (video) =>
  new Promise((resolve) => draw(video, 2_000).toBlob((blob) => resolve(blob), "image/jpeg", 0.9))

/**
 * Opens the camera and reads until a slip is found: `onSlip` gets its text, `onOther` runs for other QR codes. Returns a
 * function that closes the camera.
 */
export const openCamera = async (video, readerPath, { onOther, onSlip }) => {
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: false,
    video: { facingMode: { ideal: "environment" }, width: { ideal: 1_280 } }
  })
  let isOpen = true
  const close = () => {
    isOpen = false
    for (const track of stream.getTracks()) track.stop()
    video.srcObject = null
  }
  try {
    video.srcObject = stream
    await video.play()
    const read = await makeReader(readerPath)
    const look = async () => {
      if (!isOpen) return
      const text = video.videoWidth === 0
        ? undefined
        : await Promise.resolve(read(draw(video, READ_SIZE))).catch(() => undefined)
      if (!isOpen) return
      if (text !== undefined && BANK_SLIP.test(text)) return onSlip(text)
      if (text !== undefined) onOther()
      setTimeout(() => void look(), PERIOD)
    }
    void look()
  } catch (error) {
    close()
    throw error
  }
  return close
}
