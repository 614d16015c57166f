import type { enRefusals } from "./en-refusals.ts"

/** Why something was not done or can't be shown, and how the fields of a form have to be, in Thai. */
export const thRefusals: typeof enRefusals = {
  reasons: {
    VALIDATION_ERROR: "มีบางอย่างไม่ถูกต้อง",
    NOT_FOUND: "ไม่มีสิ่งที่มีชื่อหรือรหัสนี้",
    JOB_NOT_FOUND: "ไม่มีงานนี้",
    API_SERVER_ERROR:
      "ที่เก็บเหตุการณ์หรือโมเดลสำหรับอ่านใช้งานไม่ได้หรือยังตามไม่ทัน ลองใหม่ในอีกสักครู่ ถ้าเพิ่งส่งแบบฟอร์ม โปรดดูก่อนว่าดำเนินการไปแล้วหรือยัง"
  },
  fields: {
    name: "ยาว 1 ถึง 200 ตัวอักษร",
    plan: "ยาว 1 ถึง 100 ตัวอักษร",
    quota: "จำนวนเต็มไม่เกิน 1,000,000,000 หรือเว้นว่าง",
    expiresAt: "วันที่ หรือเวลาพร้อมเขตเวลา เช่น 2027-01-31T00:00:00+07:00 หรือเว้นว่าง",
    ipWhitelist: "1 ถึง 1,000 รายการ แต่ละรายการเป็น IPv4, IPv6, ช่วง CIDR หรือ *",
    webhookUrl: "URL แบบ https ยาวไม่เกิน 2,048 ตัวอักษร ไม่มีชื่อผู้ใช้หรือรหัสผ่าน",
    reason: "ยาวไม่เกิน 500 ตัวอักษร",
    host: "โฮสต์ เช่น shop.example หรือ shop.example:8443",
    state: "สถานะใดสถานะหนึ่งของรายการนี้",
    cursor: "ไม่ใช่หน้าของรายการนี้ เริ่มจากหน้าแรก",
    limit: "จำนวนเต็ม 1 ถึง 500",
    jobId: "รหัสของงานที่จบแล้ว และมี URL สำหรับแจ้งผล"
  },
  otherField: () => "รับไว้ตามที่ส่งมาไม่ได้ เปิดหน้าใหม่แล้วกรอกอีกครั้ง",
  otherReason: (message) => `ดำเนินการไม่สำเร็จ: ${message}`
}
