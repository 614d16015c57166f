/** The texts around a page in English: menu, search, results and code. */
const en = {
  language: "en",
  skip: "Skip to the content",
  sections: { Start: "Start", Guides: "Guides", Reference: "Reference" },
  documentation: "Documentation",
  menu: "Menu",
  neighbours: "Neighbouring pages",
  previous: "Previous",
  next: "Next",
  search: {
    title: "Search",
    label: "Search the documentation",
    placeholder: "Search",
    button: "Search",
    results: "Results",
    empty: "Enter a word, an operation such as verifyBank, a field or an error code.",
    none: (query: string) =>
      `Nothing matches “${query}”. Try fewer or shorter words; a result needs the beginning of a word.`,
    one: (query: string) => `1 result for “${query}”`,
    many: (count: number, query: string) => `${count} results for “${query}”`,
    best: (count: number, query: string) => `The best ${count} results for “${query}”`,
    /** What a screen reader says while the reader types. The script replaces `{count}`. */
    status: { none: "No results", one: "1 result", many: "{count} results" }
  },
  code: {
    copy: "Copy",
    copied: "Copied",
    /** What the button copies, for a screen reader. */
    copyThis: (what: string | undefined) => `Copy ${what ?? "the code"}`,
    languageOf: (request: string) => `${request}: language`
  }
}

export type FrameTexts = typeof en

const th: FrameTexts = {
  language: "th",
  skip: "ข้ามไปที่เนื้อหา",
  sections: { Start: "เริ่มต้น", Guides: "คู่มือ", Reference: "ข้อมูลอ้างอิง" },
  documentation: "เอกสาร",
  menu: "เมนู",
  neighbours: "หน้าก่อนและหน้าถัดไป",
  previous: "ก่อนหน้า",
  next: "ถัดไป",
  search: {
    title: "ค้นหา",
    label: "ค้นหาในเอกสาร",
    placeholder: "ค้นหา",
    button: "ค้นหา",
    results: "ผลการค้นหา",
    empty: "พิมพ์คำ ชื่อคำสั่ง เช่น verifyBank ชื่อช่องข้อมูล หรือรหัสข้อผิดพลาด",
    none: (query) => `ไม่พบ “${query}” ลองใช้คำที่สั้นลงหรือน้อยลง โดยพิมพ์ตั้งแต่ต้นคำ`,
    one: (query) => `พบ 1 รายการสำหรับ “${query}”`,
    many: (count, query) => `พบ ${count} รายการสำหรับ “${query}”`,
    best: (count, query) => `${count} รายการที่ตรงที่สุดสำหรับ “${query}”`,
    status: { none: "ไม่พบรายการ", one: "พบ 1 รายการ", many: "พบ {count} รายการ" }
  },
  code: {
    copy: "คัดลอก",
    copied: "คัดลอกแล้ว",
    copyThis: (what) => `คัดลอก: ${what ?? "โค้ด"}`,
    languageOf: (request) => `ภาษาของตัวอย่าง: ${request}`
  }
}

/** The texts around a page, by its language. */
export const frameTexts = { en, th } as const
