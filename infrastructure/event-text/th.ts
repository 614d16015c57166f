import type { JsonObject } from "../../domain/events/recorded-event.ts"
import type { Story } from "./event-text.ts"
import { thAccounts } from "./th-accounts.ts"
import { thJobs } from "./th-jobs.ts"
import { answeredBy, asked, baht } from "./th-words.ts"
import { because, say } from "./messages.ts"

const verdict = ({ charged, expectedAmount, isAmountMatched, matching }: JsonObject): string => {
  const cost = charged === true ? "คิด 1 โควตา" : "ไม่คิดโควตา"
  const amount = typeof expectedAmount !== "number"
    ? ""
    : `; ยอดที่คาดไว้ ${baht(expectedAmount)}: ${isAmountMatched === true ? "ตรงกัน" : "ไม่ตรงกัน"}`
  return cost + amount + (matching === null || matching === undefined ? "" : "; เทียบผู้รับกับบัญชีของสาขาแล้ว")
}

const between = ({ from, to }: JsonObject): string =>
  (from === null ? "" : ` ตั้งแต่ ${say(from)}`) + (to === null ? "" : ` ถึง ${say(to)}`)

/**
 * One sentence an event type, from its data, in Thai. It is told where nothing is opened, so it has no words for names,
 * numbers and remarks: the command line, which opens them, speaks English.
 */
export const thStory: Story = {
  AccountRegistered: () => "ลงทะเบียนบัญชีผู้ใช้แล้ว",
  AccountVerified: () => "ยืนยันบัญชีผู้ใช้แล้ว",
  AccountBanned: ({ reason }) => `ระงับบัญชีผู้ใช้${because(reason)}`,
  AccountUnbanned: () => "ยกเลิกการระงับบัญชีผู้ใช้",
  ServiceCreated: ({ name, plan }) => `สร้างบริการ ${say(name)} แพ็กเกจ ${say(plan)}`,
  ServiceRenamed: ({ name }) => `เปลี่ยนชื่อบริการเป็น ${say(name)}`,
  ServicePlanChanged: ({ plan }) => `เปลี่ยนแพ็กเกจเป็น ${say(plan)}`,
  ServiceExpirySet: ({ expiresAt }) => expiresAt === null ? "บริการไม่มีวันหมดอายุแล้ว" : `บริการหมดอายุ ${say(expiresAt)}`,
  ServiceDeactivated: () => "ปิดใช้งานบริการ",
  ServiceActivated: () => "เปิดใช้งานบริการ",
  ServiceBanned: ({ reason }) => `ระงับบริการ${because(reason)}`,
  ServiceUnbanned: () => "ยกเลิกการระงับบริการ",
  ServiceDeleted: () => "ลบบริการแล้ว",
  BranchCreated: ({ isMain, name }) => `สร้าง${isMain === true ? "สาขาหลัก" : "สาขา"} ${say(name)}`,
  BranchRenamed: ({ name }) => `เปลี่ยนชื่อสาขาเป็น ${say(name)}`,
  ApiKeyIssued: () => "ออกคีย์ API",
  ApiKeyRevoked: () => "ยกเลิกคีย์ API",
  IpWhitelistSet: ({ entries }) => `อนุญาตให้เรียกจาก ${Array.isArray(entries) ? entries.join(", ") : say(entries)}`,
  QuotaSet: ({ quota }) => quota === null ? "ตั้งโควตาเป็นไม่จำกัด" : `ตั้งโควตาเป็น ${say(quota)} ต่อเดือน`,
  WebhookUrlSet: ({ url }) => url === null ? "ลบ URL ของเว็บฮุก" : `ตั้ง URL ของเว็บฮุกเป็น ${say(url)}`,
  WebhookSecretRotated: ({ previousExpiresAt }) =>
    previousExpiresAt === null ? "ออกรหัสลับเว็บฮุก" : `เปลี่ยนรหัสลับเว็บฮุก รหัสเดิมยังเซ็นได้ถึง ${say(previousExpiresAt)}`,
  BranchDeactivated: () => "ปิดใช้งานสาขา",
  BranchActivated: () => "เปิดใช้งานสาขา",
  SlipVerified: (data) =>
    `ตรวจสลิปของธนาคาร ${say(data["sendingBank"])} ยอด ${baht(data["amount"])} `
    + `โอนเมื่อ ${say(data["transferredAt"])} เป็นครั้งแรก: ${answeredBy(data)}; ${verdict(data)}`,
  SlipVerifiedAgain: (data) => `ตรวจสลิปซ้ำ; ${verdict(data)}`,
  VerificationFailed: (data) => `การตรวจจบด้วย ${say(data["code"])}: ${say(data["why"])}${asked(data)}`,
  PersonalDataForgotten: ({ jobIds, reason }) =>
    "ทำลายข้อมูลส่วนบุคคลแล้ว: สิ่งที่เข้ารหัสไว้เปิดไม่ได้อีก"
    + (Array.isArray(jobIds) && jobIds.length > 0 ? ` รวมถึงของ ${jobIds.length} งาน` : "")
    + (reason === null ? "" : `; เหตุผล: ${say(reason)}`),
  CheckpointSigned: ({ count, keyId, number, position }) =>
    `ลงนามจุดตรวจที่ ${say(number)} ด้วยคีย์ ${say(keyId)}: ${say(count)} เหตุการณ์ถึงตำแหน่ง ${say(position)}`,
  ...thJobs,
  ...thAccounts,
  RequestBegun: () => "เริ่มคำขอที่มี Idempotency-Key",
  RequestRefused: ({ code, message }) => `คำขอที่มี Idempotency-Key ถูกปฏิเสธถาวรด้วย ${say(code)}: ${say(message)}`,
  RequestReleased: () => "คำขอไม่เกิดผลที่ต้องเก็บ Idempotency-Key ใช้ได้อีกครั้ง",
  PersonalDataRevealed: (data) => `แสดงข้อมูลส่วนบุคคลให้ ${say(data["by"])} ด้วย ${say(data["command"])}${between(data)}`
}
