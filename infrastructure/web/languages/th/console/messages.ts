import { thEventTexts } from "../events.ts"
import type { ConsoleTexts } from "../../en/console/messages.ts"
import { thBranchSettings } from "./branch-settings.ts"
import { thAccess } from "./access.ts"
import { thForms } from "./forms.ts"
import { thLists } from "./lists.ts"
import { thOverview } from "./overview.ts"
import { thSearch } from "./search.ts"
import { thServices } from "./services.ts"
import { thTrail } from "./trail.ts"

/** All texts of the console in Thai. Years are of the Buddhist era. */
export const thConsole: ConsoleTexts = {
  eventTexts: thEventTexts,
  console: "คอนโซล",
  skip: "ข้ามไปยังเนื้อหา",
  notVisible: "บันทึกการเปลี่ยนแปลงแล้ว และจะมีผลเมื่อ projector ประมวลผลเสร็จ ดูที่หน้าโปรเจกชัน",
  sandbox: "โหมดทดลอง: ใครก็สร้างสลิปที่ตรวจผ่านที่นี่ได้ นำ sandbox ออกจาก BANK_GATEWAYS ก่อนใช้งานจริง",
  menu: {
    label: "หน้า",
    overview: "ภาพรวม",
    verifications: "การตรวจ",
    jobs: "งาน",
    callbacks: "การแจ้งผล",
    services: "บริการ",
    audit: "บันทึกการใช้งาน",
    projections: "โปรเจกชัน",
    operators: "ผู้ดูแล"
  },
  errors: {
    notFound: "ไม่พบหน้านี้",
    notFoundHint: "ลองค้นหาด้วยรหัส",
    rejected: "คำขอถูกปฏิเสธ",
    expired: "แบบฟอร์มนี้หมดอายุแล้ว เปิดหน้าใหม่แล้วทำอีกครั้ง",
    unavailable: "ใช้งานไม่ได้ในขณะนี้",
    requestId: "รหัสคำขอ",
    back: "กลับ"
  },
  common: {
    id: "รหัส",
    name: "ชื่อ",
    state: "สถานะ",
    created: "สร้างเมื่อ",
    kind: "ชนิด",
    time: "เวลา",
    none: "ไม่มี",
    yes: "ใช่",
    no: "ไม่ใช่",
    open: "เปิด",
    copy: "คัดลอก",
    copied: "คัดลอกแล้ว",
    next: "หน้าถัดไป",
    first: "หน้าแรก",
    save: "บันทึก",
    sealed: "เข้ารหัส",
    sealedHint: "เข้ารหัสไว้ในบันทึกเหตุการณ์",
    erased: "ลบแล้ว",
    to: "ถึง",
    unlimited: "ไม่จำกัด",
    never: "ไม่มีวันหมดอายุ",
    baht: "บาท"
  },
  units: { millis: "ms", seconds: "วิ" },
  ...thSearch,
  ...thAccess,
  ...thForms,
  ...thOverview,
  ...thTrail,
  ...thServices,
  ...thLists,
  branchSettings: thBranchSettings
}
