import { createHash } from "node:crypto"
import { gzipSync } from "node:zlib"

interface Rendered {
  readonly plain: Buffer
  readonly gzip: Buffer
  /** A digest of the content, in quotes. */
  readonly tag: string
}

/** A page or file that is rendered and compressed with its first request, and then kept. */
export class StoredAnswer {
  readonly contentType: string
  readonly cacheControl: string
  readonly #render: () => string
  #rendered: Rendered | undefined

  constructor(contentType: string, cacheControl: string, render: () => string) {
    this.contentType = contentType
    this.cacheControl = cacheControl
    this.#render = render
  }

  get rendered(): Rendered {
    if (this.#rendered === undefined) {
      const plain = Buffer.from(this.#render())
      const tag = `"${createHash("sha256").update(plain).digest("hex").slice(0, 32)}"`
      this.#rendered = { plain, gzip: gzipSync(plain), tag }
    }
    return this.#rendered
  }
}
