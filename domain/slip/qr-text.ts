// Loaded by the threads that read pictures: imports nothing of Effect.

/**
 * What scanners, files and chats add around the text of a QR code: white space, line ends, a byte order mark, control
 * characters and characters without width. No QR code of a slip contains any of them.
 */
const AROUND = /^[\s\p{Cc}\u200b-\u200d\u2060\ufeff]+|[\s\p{Cc}\u200b-\u200d\u2060\ufeff]+$/gu

/** A QR text without what stands around it (docs/spec/http.md, "The payload"). */
export const trimQrText = (text: string): string => text.replace(AROUND, "")

/** A checksum at the end of a QR text: its tag, its length, and its hexadecimal digits. */
export interface PrintedChecksum {
  /** The text before the tag. */
  readonly body: string
  /** 1 to 4 digits, as printed. */
  readonly digits: string
}

/**
 * Makes a function that returns the checksums that may stand at the end of a text, the complete one first. Some bank apps
 * print the number without its leading zeros, and then with either length: `91040D3F`, `9104D3F` and `9103D3F` are the
 * same. Which one it is, only the value shows. `digit` is the class of a digit, such as `0-9a-f`.
 */
export const checksumReader = (digit: string): (text: string) => ReadonlyArray<PrintedChecksum> => {
  const patterns = [4, 3, 2, 1].map((length) => new RegExp(`^(.*)910[4${length}]([${digit}]{${length}})$`, "u"))
  return (text) =>
    patterns.flatMap((pattern) => {
      const match = pattern.exec(text)
      return match === null ? [] : [{ body: match[1] ?? "", digits: match[2] ?? "" }]
    })
}
