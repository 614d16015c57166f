const THAI_ZERO = 0x0e50

/** Baht in a text that a person typed, with Thai or Arabic digits and separators; undefined for other texts. */
export const amountOf = (text: string): number | undefined => {
  const plain = text
    .replaceAll(/[๐-๙]/gu, (digit) => String((digit.codePointAt(0) ?? THAI_ZERO) - THAI_ZERO))
    .replaceAll(/[\s,฿]|บาท|baht|THB/giu, "")
  return /^\d{1,9}(?:\.\d{1,2})?$/u.test(plain) ? Number(plain) : undefined
}
