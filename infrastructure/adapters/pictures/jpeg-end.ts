const END = Buffer.from([0xff, 0xd9])
const START_OF_SCAN = Buffer.from([0xff, 0xda])

/**
 * A JPEG with an end marker after its last scan. Some apps write none, and decoders take such a file for a cut upload.
 * Returns the same bytes when the marker is there.
 */
export const withEndMarker = (bytes: Uint8Array): Uint8Array => {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  // A thumbnail before the scan has an end marker of its own. Inside a scan, these bytes are nothing else.
  const scan = file.lastIndexOf(START_OF_SCAN)
  return scan < 0 || file.indexOf(END, scan) >= 0 ? bytes : Buffer.concat([file, END])
}
