import type { JsonObject } from "../../../../application/ports/event-store.ts"
import type { enStory } from "./en-story.ts"
import { baht, say, type Sentence } from "./say.ts"

const because = (reason: unknown): string => typeof reason === "string" ? `: ${reason}` : ""

const cost: Sentence = ({ charged }) => charged === true ? "คิด 1 โควตา" : "ไม่คิดโควตา"

const expected: Sentence = ({ expectedAmount, isAmountMatched }) => {
  if (typeof expectedAmount !== "number") return ""
  return ` ยอดที่คาดไว้ ${baht(expectedAmount)} บาท ${isAmountMatched === true ? "ตรงกัน" : "ไม่ตรงกัน"}`
}

const next = ({ nextAttemptAt }: JsonObject, none: string): string =>
  typeof nextAttemptAt === "string" ? "จะลองใหม่ภายหลัง" : none

/** One sentence an event type, from its data, in Thai. */
export const thStory: Readonly<Record<keyof typeof enStory, Sentence>> = {
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
  WebhookSecretRotated: ({ previousExpiresAt }) => previousExpiresAt === null ? "ออกรหัสลับเว็บฮุก" : "เปลี่ยนรหัสลับเว็บฮุก",
  BranchDeactivated: () => "ปิดใช้งานสาขา",
  BranchActivated: () => "เปิดใช้งานสาขา",
  BankAccountRegistered: ({ bankCode, movedFrom }) =>
    movedFrom === null ? `ลงทะเบียนบัญชีรับเงินธนาคาร ${say(bankCode)}` : "บัญชีรับเงินเริ่มใช้เลขใหม่",
  BankAccountChanged: () => "แก้ไขบัญชีรับเงิน",
  BankAccountLinked: () => "ผูกบัญชีรับเงินกับสาขา",
  BankAccountUnlinked: () => "เลิกผูกบัญชีรับเงินกับสาขา",
  BankAccountDeactivated: ({ reason }) => reason === "move-abandoned" ? "คืนเลขใหม่ของบัญชีรับเงิน" : "เลิกใช้บัญชีรับเงิน",
  BankAccountMoved: () => "บัญชีรับเงินเปลี่ยนเป็นเลขใหม่แล้ว",
  BankAccountMoveRefused: () => "บัญชีรับเงินใช้เลขเดิมต่อไป",
  SlipVerified: (data) =>
    `ตรวจสลิปยอด ${baht(data["amount"])} บาทเป็นครั้งแรก: ${say(data["gateway"])} ตอบใน ` +
    `${say(data["gatewayMillis"])} มิลลิวินาที; ${cost(data)}${expected(data)}`,
  SlipVerifiedAgain: (data) => `ตรวจสลิปซ้ำ; ${cost(data)}${expected(data)}`,
  VerificationFailed: ({ code, why }) => `การตรวจจบด้วย ${say(code)}: ${say(why)}`,
  VerificationEnqueued: ({ batchIndex, batchSize, callbackUrl, charged }) =>
    "รับสลิปไว้ตรวจภายหลัง" +
    (typeof batchIndex === "number" ? ` ลำดับที่ ${batchIndex + 1} จาก ${say(batchSize)} ในชุด` : "") +
    (charged === true ? "; จอง 1 โควตา" : "") +
    (callbackUrl === null ? "; ไม่มีการแจ้งกลับ" : `; แจ้งผลไปที่ ${say(callbackUrl)}`),
  VerificationAttemptFailed: (data) =>
    `ครั้งที่ ${say(data["attempt"])} จบด้วย ${say(data["code"])}: ${say(data["why"])}; ${next(data, "เป็นครั้งสุดท้าย")}`,
  JobSucceeded: ({ attempt, charged, isDuplicate }) =>
    `งานสำเร็จในครั้งที่ ${say(attempt)}: ${isDuplicate === true ? "สลิปซ้ำ" : "สลิปไม่ซ้ำ"}; ` +
    (charged === true ? "คิด 1 โควตา" : "ไม่คิดโควตา"),
  JobNotFound: ({ attempt, code }) => `งานจบโดยไม่พบสลิปหลังครั้งที่ ${say(attempt)}: ${say(code)}; ไม่คิดโควตา`,
  CallbackScheduled: ({ url }) => `จะแจ้งผลไปที่ ${say(url)}`,
  CallbackSent: ({ attempt, host }) => `ส่งการแจ้งผลไปที่ ${say(host)} ครั้งที่ ${say(attempt)}`,
  CallbackAttemptFailed: (data) =>
    `แจ้งผลครั้งที่ ${say(data["attempt"])} ไม่สำเร็จใน ${say(data["tookMillis"])} มิลลิวินาที: ${say(data["reason"])}; ` +
    next(data, "เลิกส่ง"),
  CallbackDelivered: ({ host, status, tookMillis }) =>
    `แจ้งผลสำเร็จ: ${say(host)} ตอบ ${say(status)} ใน ${say(tookMillis)} มิลลิวินาที`,
  CallbackRejected: ({ host, status, tookMillis }) =>
    `ปลายทางปฏิเสธ: ${say(host)} ตอบ ${say(status)} ใน ${say(tookMillis)} มิลลิวินาที; จะไม่ส่งอีก`,
  CallbackAbandoned: ({ attempts, host }) => `เลิกแจ้งผลไปที่ ${say(host)} หลังส่ง ${say(attempts)} ครั้ง`,
  CallbackRedeliveryRequested: () => "ขอให้แจ้งผลใหม่",
  RequestBegun: () => "เริ่มคำขอที่มี Idempotency-Key",
  RequestRefused: ({ code }) => `คำขอถูกปฏิเสธ: ${say(code)}`,
  RequestReleased: () => "คำขอไม่เกิดผล คีย์ใช้ได้อีกครั้ง",
  PersonalDataRevealed: ({ by, command }) => `${say(by)} ได้ดูข้อมูลส่วนบุคคลด้วย ${say(command)}`,
  PersonalDataForgotten: ({ reason }) => `ทำลายข้อมูลส่วนบุคคลของสลิปถาวรแล้ว${because(reason)}`
}
