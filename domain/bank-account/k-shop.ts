/** The billers of K SHOP. Every shop has these numbers, so they identify no shop. */
export const kShopBillers: ReadonlyArray<string> = ["010753600031508", "010753600031501"]

export const isSharedBiller = (number: string): boolean => kShopBillers.includes(number)

/**
 * The number of a K SHOP, `KB` and 12 digits: ref1 of its QR code. Its ref2, which K SHOP prints as the reference, has
 * `KPS` and three digits in front. Undefined for other texts.
 */
export const kShopNumber = (text: string): string | undefined =>
  /^(?:KPS\d{3})?(KB\d{12})$/u.exec(text.trim().toUpperCase())?.[1]

/** Whether a text is the reference that K SHOP prints, which is not a biller id. */
export const isKShopReference = (text: string): boolean => /^KPS/iu.test(text.trim())

export const K_SHOP_ADVICE =
  "KPS004KB… is the reference that K SHOP prints, not a biller id. Give the biller id 010753600031508 as bankNumber, and "
  + "the last 14 characters of the reference (KB and 12 digits) as ref1"
