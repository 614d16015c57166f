/** A number as a slip shows it: digits are visible, `x` stands for a hidden one, hyphens for the eye. */
const mask = (shape: string, digits: string): string => {
  let at = 0
  return shape.replace(/[0xX]/gu, (place) => {
    const digit = digits[at++] ?? ""
    return place === "0" ? digit : place
  })
}

const accountShapes: Readonly<Record<string, string>> = {
  "002": "000-0-xxx000",
  "014": "xxxx-xx000-0"
}

/**
 * Ten digits of an account as its bank masks them: Bangkok Bank shows the first four and the last three, SCB the last
 * four, Kasikornbank, and here every other bank, the sixth to the ninth (field notes, "Masks seen").
 */
export const maskAccount = (bankCode: string, digits: string): string =>
  mask(accountShapes[bankCode] ?? "xxx-x-x0000-x", digits)

const proxyShapes = {
  /** Ten digits of a telephone number. */
  MSISDN: "xxx-xxx-0000",
  /** Thirteen digits of a national id. */
  NATID: "0-0000-0000x-xx-x",
  /** Fifteen digits. The shape in the wild is not known: that of a biller is taken. */
  EWALLETID: "XXXXXXXXXXX0000",
  /** Fifteen digits. */
  BILLERID: "XXXXXXXXXXX0000"
} as const

export type ProxyType = keyof typeof proxyShapes

/** The number of a proxy as the upstream masks it. */
export const maskProxy = (type: ProxyType, digits: string): string => mask(proxyShapes[type], digits)
