/** What stands around names on slips and is no part of them (docs/spec/http.md, "Matching an account"). */

/** Titles, each in the words that it comes apart into where there are spaces and dots. */
export const TITLES: ReadonlyArray<ReadonlyArray<string>> = [
  ["ว่าที่", "ร้อยตรี", "หญิง"],
  ["ว่าที่", "ร้อยตรี"],
  ["ว่าที่", "ร", "ต", "หญิง"],
  ["ว่าที่", "ร", "ต"],
  ["ว่าที่ร", "ต", "หญิง"],
  ["ว่าที่ร", "ต"],
  ["น", "ส"],
  ["ด", "ช"],
  ["ด", "ญ"],
  ["นส"]
]

/** Titles that may also stand before a name without a space. */
export const GLUED_TITLES: ReadonlyArray<string> = [
  "ว่าที่ร้อยตรีหญิง",
  "ว่าที่ร้อยตรี",
  "นางสาว",
  "นาง",
  "นาย",
  "เด็กชาย",
  "เด็กหญิง",
  "คุณ",
  "ดร",
  "MASTER",
  "MISS",
  "MRS",
  "MR",
  "MS",
  "DR"
]

/** Words of a company's form that may also stand before or behind its name without a space, the longest first. */
export const GLUED_FRONT = /^(?:ห้างหุ้นส่วนจำกัด|ห้างหุ้นส่วนสามัญ|ห้างหุ้นส่วน|บริษัท|บจก|บมจ|หจก)/u
export const GLUED_BACK = /(?:จำกัด|มหาชน|จำกัดมหาชน)$/u

/** The others. */
export const COMPANY_WORDS: ReadonlySet<string> = new Set([
  "บจ",
  "จก",
  "CO",
  "COLTD",
  "COMPANY",
  "LTD",
  "LIMITED",
  "PARTNERSHIP",
  "PCL",
  "PLC"
])
