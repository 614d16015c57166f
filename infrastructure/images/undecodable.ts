/** What a decoder says of bytes that it can't or won't take. Everything else a reader throws is its own fault. */
export class Undecodable extends Error {
  override readonly name = "Undecodable"
  readonly reason: "corrupt" | "too-many-pixels"

  constructor(reason: "corrupt" | "too-many-pixels", message: string, options?: ErrorOptions) {
    super(message, options)
    this.reason = reason
  }
}

/** Runs a decoder on bytes from outside: whatever it throws, it throws because of them. */
export const decoding = async <A>(decode: () => A | Promise<A>): Promise<A> => {
  try {
    return await decode()
  } catch (cause) {
    throw new Undecodable("corrupt", cause instanceof Error ? cause.message : String(cause), { cause })
  }
}
