/** The result of one check. With a FAIL the service does not work, or does not keep its guarantees. */
export interface Finding {
  readonly level: "ok" | "warn" | "FAIL"
  readonly about: string
  readonly message: string
  /** What to do. */
  readonly advice?: string
}

export const ok = (about: string, message: string): Finding => ({ level: "ok", about, message })

export const warn = (about: string, message: string, advice: string): Finding => ({
  level: "warn",
  about,
  message,
  advice
})

export const fail = (about: string, message: string, advice: string): Finding => ({
  level: "FAIL",
  about,
  message,
  advice
})
