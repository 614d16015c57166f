import type { SettingName } from "../../../../../domain/branch-settings.ts"
import type { SettingTexts } from "../../en/console/branch-settings.ts"

/** The texts of the settings of a branch in Thai. */
export const thBranchSettings: Readonly<Record<SettingName, SettingTexts>> = {
  quota: {
    name: "โควตา",
    fact: "โควตาต่อเดือน",
    label: "โควตาต่อเดือน",
    hint: "เว้นว่างหากไม่จำกัด",
    refused: "จำนวนเต็มไม่เกิน 1,000,000,000 หรือเว้นว่าง"
  },
  ipWhitelist: {
    name: "ผู้เรียกที่อนุญาต",
    fact: "ผู้เรียกที่อนุญาต",
    label: "ผู้เรียกที่อนุญาต บรรทัดละหนึ่งรายการ",
    hint: "IPv4, IPv6, ช่วง CIDR หรือ * สำหรับทุกที่อยู่",
    refused: "1 ถึง 1,000 รายการ แต่ละรายการเป็น IPv4, IPv6, ช่วง CIDR หรือ *"
  },
  webhookUrl: {
    name: "URL ของเว็บฮุก",
    fact: "URL ของเว็บฮุก",
    label: "URL ของเว็บฮุก",
    hint: "ต้องเป็น https เว้นว่างหากไม่มี",
    refused: "URL แบบ https ยาวไม่เกิน 2,048 ตัวอักษร ไม่มีชื่อผู้ใช้หรือรหัสผ่าน"
  }
}
