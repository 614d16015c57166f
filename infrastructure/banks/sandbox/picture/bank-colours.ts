const colours: Readonly<Record<string, string>> = {
  "002": "#1e3a8a",
  "004": "#0f9d58",
  "006": "#0ea5e0",
  "011": "#1279be",
  "014": "#4e2e7f",
  "020": "#0473ae",
  "022": "#7e1f2e",
  "024": "#0b3979",
  "025": "#b58900",
  "030": "#d6336c",
  "031": "#b3131b",
  "033": "#e06b0b",
  "034": "#3f7d2c",
  "066": "#16613b",
  "067": "#12549f",
  "069": "#6a5a8c",
  "071": "#d9541e",
  "073": "#5c6670",
  "098": "#a0641e"
}

const OTHER = "#475569"

/** A colour in which the customers of a bank would look for it, dark enough for white text. */
export const bankColour = (code: string): string => colours[code] ?? OTHER

/** PromptPay's dark blue. */
export const PROMPTPAY_COLOUR = "#113566"
