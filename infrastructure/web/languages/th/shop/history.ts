import type { enHistory, enHistoryFields, enVerification } from "../../en/shop/history.ts"

/** The texts of the history and of one verification in Thai. */
export const thHistory: typeof enHistory = {
  title: "ประวัติ",
  lead: "สลิปที่สาขานี้ตรวจ รายการล่าสุดอยู่บนสุด",
  period: "ช่วงเวลา",
  all: "ทั้งหมด",
  today: "วันนี้",
  yesterday: "เมื่อวาน",
  week: "7 วัน",
  from: "ตั้งแต่",
  to: "ถึง",
  days: "เลือกวัน",
  show: "แสดง",
  outcome: "ผลการตรวจ",
  every: "ทุกผล",
  outcomes: { verified: "ธนาคารยืนยัน", duplicate: "เคยใช้แล้ว", failed: "ไม่ยืนยัน" },
  searchLabel: "ค้นหาด้วยยอดเงิน หมายเหตุ เลขอ้างอิง หรือเลขอ้างอิง 6 ตัวท้าย",
  searchHint: "1,250.50, order 42 หรือเลขอ้างอิง 6 ตัวท้าย",
  search: "ค้นหา",
  clear: "ล้างการค้นหา",
  searched: {
    referenceEnd: (text) => `สลิปที่เลขอ้างอิงลงท้ายด้วย “${text}”`,
    amount: (text) => `สลิปยอด ${text} บาท`,
    remark: (text) => `สลิปที่มีหมายเหตุ “${text}”`,
    reference: (text) => `สลิปที่มีเลขอ้างอิง “${text}”`
  },
  instead: "หรือค้นหาจาก:",
  searchBy: {
    referenceEnd: "เลขอ้างอิง 6 ตัวท้าย",
    amount: "ยอดเงิน",
    remark: "หมายเหตุ",
    reference: "เลขอ้างอิงทั้งหมด"
  },
  none: "ไม่มีรายการ ลองเลือกช่วงเวลาหรือผลการตรวจอื่น",
  noneYet: "ยังไม่เคยตรวจสลิป เมื่อตรวจแล้วรายการจะขึ้นที่นี่ในไม่กี่วินาที",
  noneOnPage: "ไม่พบในรายการที่ค้นแล้ว ดูรายการเก่ากว่านี้ต่อได้",
  counts: (verified, duplicates, failed) => `ยืนยัน ${verified} · เคยใช้แล้ว ${duplicates} · ไม่ยืนยัน ${failed}`,
  conditions: "ไม่ผ่านเงื่อนไข",
  noSlip: "ไม่มีข้อมูลสลิป",
  first: "ล่าสุด",
  next: "เก่ากว่า"
}

export const thVerification: typeof enVerification = {
  back: "ประวัติ",
  facts: "ข้อมูลสลิป",
  checkedAt: "ตรวจเมื่อ",
  answer: "ผลที่แจ้งร้าน",
  charged: "โควตา",
  units: { one: "นับ 1 ครั้ง", none: "ไม่นับโควตา" },
  remark: "หมายเหตุ",
  id: "รหัสการตรวจ",
  conditions: "เงื่อนไข",
  met: "ผ่านทุกเงื่อนไข",
  erased: "ข้อมูลส่วนบุคคลของสลิปนี้ถูกลบแล้ว เหลือเพียงยอดเงิน เวลา และธนาคารต้นทาง",
  notes: "บันทึก",
  noNotes: "ยังไม่มีบันทึก",
  erasedNote: "ข้อความถูกลบไปพร้อมกับสลิป",
  by: (key) => key === null ? "คีย์หลัก" : `คีย์ ${key}`,
  note: "เพิ่มบันทึก",
  noteHint: "1 ถึง 500 ตัวอักษร สำหรับคนในร้าน แก้ไขหรือลบภายหลังไม่ได้",
  addNote: "บันทึก",
  timeline: "ลำดับเหตุการณ์",
  steps: {
    received: "รับสลิปไว้ตรวจภายหลัง",
    attempt: (attempt) => `ครั้งที่ ${attempt}: ธนาคารยังไม่ยืนยันการโอน`,
    asked: (millis) => `ถามธนาคารแล้ว ตอบใน ${millis} มิลลิวินาที`,
    verified: "แจ้งผล: ธนาคารยืนยัน",
    duplicate: "แจ้งผล: เคยใช้แล้ว ใช้คำตอบแรกของธนาคารโดยไม่ถามซ้ำ",
    failed: "แจ้งผล: ไม่ยืนยัน",
    sent: "ส่ง callback แล้ว ยังไม่ทราบผล",
    delivered: (status) => `ส่ง callback สำเร็จ (${status ?? "–"})`,
    rejected: (status) => `ปลายทางปฏิเสธ callback (${status ?? "–"})`,
    undelivered: (reason) => `ส่ง callback ไม่สำเร็จ: ${reason}`,
    note: "เพิ่มบันทึก"
  },
  callbacks: "Callback",
  noCallbacks: "การตรวจนี้ไม่มี callback",
  reasons: {
    amount_differs: "ยอดเงินไม่ตรงกับที่คาดไว้",
    amount_too_low: "ยอดเงินน้อยเกินไป",
    amount_too_high: "ยอดเงินมากเกินไป",
    transferred_too_early: "โอนเร็วกว่าที่กำหนด",
    transferred_too_late: "โอนช้ากว่าที่กำหนด",
    receiver_differs: "เงินเข้าบัญชีอื่น",
    receiver_indeterminate: "ระบุผู้รับเงินได้ไม่แน่ชัด",
    sending_bank_not_allowed: "ไม่รับโอนจากธนาคารนี้",
    duplicate: "สลิปนี้เคยใช้แล้ว"
  }
}

export const thHistoryFields: typeof enHistoryFields = {
  text: "ใส่ 1 ถึง 500 ตัวอักษร",
  from: "เลือกวันเริ่มต้นที่ไม่อยู่หลังวันสุดท้าย",
  to: "เลือกวัน"
}
