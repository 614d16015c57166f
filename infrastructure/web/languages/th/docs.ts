import type { DocsTexts } from "../en/docs.ts"

/** The texts around a page of the documentation in Thai. */
export const thDocs: DocsTexts = {
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
