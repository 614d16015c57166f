import type { Messages } from "./en.ts"
import { thHistory, thHistoryFields, thVerification } from "./th-history.ts"
import { thSettings, thSettingsFields } from "./th-settings.ts"

/** All texts of the shop's page in Thai. Years are of the Buddhist era. */
export const th: Messages = {
  language: "th",
  locale: "th-TH",
  skip: "ข้ามไปยังเนื้อหา",
  sandbox: "โหมดทดลอง: สลิปที่นี่ไม่ใช่ของจริง อย่าเพิ่งส่งสินค้า",
  otherLanguage: "English",
  menu: { label: "หน้า", check: "ตรวจสลิป", history: "ประวัติ", settings: "ตั้งค่า" },
  history: thHistory,
  verification: thVerification,
  settings: thSettings,
  signIn: {
    title: "เข้าสู่ระบบ",
    key: "คีย์ API ของสาขา",
    hint: "ตัวอักษร ตัวเลข และขีดรวม 36 ตัว ขอได้จากเจ้าของร้านหรือผู้ดูแลระบบ",
    linkHint: "มีลิงก์หรือ QR สำหรับเข้าสู่ระบบ? เปิดลิงก์นั้นแทน",
    button: "เข้าสู่ระบบ",
    signOut: "ออกจากระบบ"
  },
  errors: {
    notFound: "ไม่พบหน้านี้",
    notFoundHint: "ที่อยู่ไม่ถูกต้อง หรือเป็นของสาขาอื่น",
    rejected: "ทำรายการไม่ได้",
    unavailable: "ใช้งานไม่ได้ในขณะนี้",
    expired: "แบบฟอร์มนี้หมดอายุแล้ว กลับไปหน้าแรกแล้วลองใหม่",
    otherSite: "แบบฟอร์มนี้ส่งมาจากเว็บอื่น หรือเบราว์เซอร์ไม่แจ้งที่มา โปรดเปิดหน้านี้โดยตรง",
    requestId: "รหัสคำขอ",
    home: "กลับหน้าแรก",
    scopeMissing: {
      verify: "เครื่องนี้ไม่มีสิทธิ์ตรวจสลิป ขอคีย์ที่ตรวจสลิปได้จากเจ้าของร้าน",
      read: "เครื่องนี้ไม่มีสิทธิ์ดูสลิปที่ผ่านมา ขอคีย์ที่ดูประวัติได้จากเจ้าของร้าน",
      configure: "เครื่องนี้ไม่มีสิทธิ์แก้การตั้งค่า ขอคีย์ที่ตั้งค่าได้จากเจ้าของร้าน"
    }
  },
  refusals: {
    byCode: {
      INVALID_API_KEY: "คีย์ไม่ถูกต้อง หมดอายุ หรือถูกยกเลิกแล้ว ตรวจคีย์อีกครั้งหรือถามเจ้าของร้าน",
      BRANCH_INACTIVE: "สาขานี้ถูกปิดใช้งาน ติดต่อผู้ดูแลระบบ",
      SERVICE_BANNED: "บริการนี้ถูกระงับ ติดต่อผู้ดูแลระบบ",
      SERVICE_DELETED: "บริการนี้ถูกลบแล้ว ติดต่อผู้ดูแลระบบ",
      SERVICE_INACTIVE: "บริการนี้ถูกปิดหรือหมดอายุแล้ว ติดต่อผู้ดูแลระบบ",
      USER_BANNED: "บัญชีของร้านนี้ถูกระงับ ติดต่อผู้ดูแลระบบ",
      IP_NOT_ALLOWED: "คีย์นี้ใช้จากเครือข่ายนี้ไม่ได้ ใช้เครือข่ายของร้าน หรือถามเจ้าของร้าน",
      RATE_LIMIT_EXCEEDED: "ส่งคำขอถี่เกินไป รอสักครู่แล้วลองใหม่",
      QUOTA_EXCEEDED: "ใช้จำนวนการตรวจของเดือนนี้หมดแล้ว ขอเพิ่มโควตาจากเจ้าของร้าน",
      VALIDATION_ERROR: "ข้อมูลบางอย่างไม่ถูกต้อง",
      NOT_FOUND: "ไม่มีข้อมูลที่ที่อยู่นี้",
      JOB_NOT_FOUND: "ไม่พบการตรวจนี้ หรือเกินเจ็ดวันแล้ว",
      VERIFICATION_NOT_FOUND: "สาขานี้ไม่เคยตรวจสลิปนี้",
      API_SERVER_ERROR: "ระบบหรือธนาคารยังตอบไม่ได้ ลองใหม่ในอีกสักครู่",
      INTERNAL_SERVER_ERROR: "เกิดข้อผิดพลาดที่ไม่คาดคิด ลองใหม่ ถ้ายังไม่ได้ให้แจ้งรหัสคำขอกับผู้ดูแลระบบ"
    },
    fields: {
      ...thHistoryFields,
      ...thSettingsFields,
      amount: "ใส่จำนวนเงินเป็นบาท เช่น 250 หรือ 1,250.50"
    },
    other: () => "ทำรายการไม่ได้ ลองใหม่ หรือถามผู้ดูแลระบบ"
  },
  check: {
    title: "ตรวจสลิป"
  }
}
