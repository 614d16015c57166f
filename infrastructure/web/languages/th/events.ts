import type { Json, JsonObject } from "../../../../domain/events/recorded-event.ts"
import type { EventTexts } from "../en/events.ts"
import type { EarlierOutcome } from "../../../../domain/slip/gateway-reply.ts"
import type { ExportedData } from "../../../../domain/trail-export.ts"
import {
  acceptanceOf,
  earlierGateways,
  endCodeText,
  inBaht,
  isObject,
  keyText,
  reasonSuffix,
  text,
  timeText
} from "../../event-text/event-text.ts"

/** An amount of satang in baht. */
export const baht = (satang: unknown): string => {
  const amount = inBaht(satang)
  return amount === undefined ? "ไม่ทราบจำนวน" : `${amount} บาท`
}

const earlierOutcomes: Readonly<Record<string, string>> = {
  "not-found": "ไม่รู้จักสลิป",
  "not-authorised": "ปฏิเสธบัญชีผู้ใช้",
  "quota-exhausted": "ไม่มีสิทธิ์ตรวจสอบเหลือ"
} satisfies Readonly<Record<Exclude<EarlierOutcome, "unavailable">, string>>

/** The gateway that answered and its response time, preceded by the gateways that did not decide the answer. */
export const gatewayText = (data: JsonObject): string =>
  earlierGateways(data).map(({ gateway, gatewayMillis, outcome, why }) =>
    `${text(gateway)} ${earlierOutcomes[text(outcome)] ?? "ไม่ตอบ"}ภายใน ${text(gatewayMillis)} มิลลิวินาที (${text(why)}), `
  ).join("") + `${text(data["gateway"])} ตอบใน ${text(data["gatewayMillis"])} มิลลิวินาที`

/** The gateways as a suffix; empty when no bank was asked. */
export const gatewaySuffix = (data: JsonObject): string =>
  data["gateway"] === null || data["gateway"] === undefined ? "" : `; ${gatewayText(data)}`

const charge = ({ charged }: JsonObject): string => charged === true ? "คิด 1 โควตา" : "ไม่คิดโควตา"

const verdict = (data: JsonObject): string => {
  const { expectedAmount, isAmountMatched, matching } = data
  const amount = typeof expectedAmount !== "number"
    ? ""
    : `; ยอดที่คาดไว้ ${baht(expectedAmount)}: ${isAmountMatched === true ? "ตรงกัน" : "ไม่ตรงกัน"}`
  return charge(data) + amount
    + (matching === null || matching === undefined ? "" : "; เทียบผู้รับเงินกับบัญชีของสาขาแล้ว")
    + acceptanceSuffix(data)
}

/** The verdict on the conditions; empty without conditions. */
const acceptanceSuffix = (data: JsonObject): string => {
  const acceptance = acceptanceOf(data)
  if (acceptance === undefined) return ""
  const { accepted, policyVersion, reasons } = acceptance
  return (accepted ? "; ผ่านเงื่อนไข" : `; ไม่ผ่านเงื่อนไข: ${reasons.map(({ code }) => code).join(", ")}`)
    + (policyVersion === null ? "" : ` ตามนโยบายรุ่นที่ ${policyVersion}`)
}

const batchSuffix = ({ batchId, batchIndex, batchSize }: JsonObject): string =>
  typeof batchIndex === "number" ? ` ลำดับที่ ${batchIndex + 1} จาก ${text(batchSize)} ในชุด ${text(batchId)}` : ""

const nextAttempt = ({ nextAttemptAt }: JsonObject): string =>
  nextAttemptAt === null ? "ไม่ลองใหม่อีก" : `ลองใหม่เวลา ${timeText(nextAttemptAt)}`

const callbackAnswer = ({ attempt, host, status, tookMillis }: JsonObject): string =>
  `ในครั้งที่ ${text(attempt)}: ${text(host)} ตอบ ${text(status)} ใน ${text(tookMillis)} มิลลิวินาที`

const exportedData: Readonly<Record<string, string>> = {
  sealed: "ยังเข้ารหัสอยู่",
  masked: "ถูกปิดบัง",
  revealed: "ถูกเปิดเผย"
} satisfies Readonly<Record<ExportedData, string>>

const exportedSubject = (subject: Json | undefined): string =>
  isObject(subject) ? `ประวัติของ ${text(subject["kind"])} ${text(subject["id"])} ` : "บันทึกเหตุการณ์"

const provenSubject = (subject: Json | undefined): string =>
  isObject(subject) ? `${text(subject["kind"])} ${text(subject["id"])}` : "สิ่งที่ไม่รู้จัก"

/**
 * Thai: one sentence for each event type. Only the console shows it, and the console opens no sealed data. Names, numbers
 * and remarks therefore have no Thai text.
 */
export const thEventTexts: EventTexts = {
  AccountRegistered: () => "ลงทะเบียนบัญชีผู้ใช้",
  AccountVerified: () => "ยืนยันบัญชีผู้ใช้",
  AccountBanned: ({ reason }) => `ระงับบัญชีผู้ใช้${reasonSuffix(reason)}`,
  AccountUnbanned: () => "ยกเลิกการระงับบัญชีผู้ใช้",
  AccountContactResealed: () => "เข้ารหัสข้อมูลติดต่อของบัญชีผู้ใช้ใหม่ ข้อมูลเหมือนเดิม",

  ServiceCreated: ({ name, plan }) => `สร้างบริการ ${text(name)} แพ็กเกจ ${text(plan)}`,
  ServiceRenamed: ({ name }) => `เปลี่ยนชื่อบริการเป็น ${text(name)}`,
  ServicePlanChanged: ({ plan }) => `เปลี่ยนแพ็กเกจเป็น ${text(plan)}`,
  ServiceExpirySet: ({ expiresAt }) =>
    expiresAt === null ? "ยกเลิกวันหมดอายุของบริการ" : `ตั้งวันหมดอายุของบริการเป็น ${timeText(expiresAt)}`,
  ServiceDeactivated: () => "ปิดใช้งานบริการ",
  ServiceActivated: () => "เปิดใช้งานบริการ",
  ServiceBanned: ({ reason }) => `ระงับบริการ${reasonSuffix(reason)}`,
  ServiceUnbanned: () => "ยกเลิกการระงับบริการ",
  ServiceDeleted: () => "ลบบริการ",

  BranchCreated: ({ isMain, name }) => `สร้าง${isMain === true ? "สาขาหลัก" : "สาขา"} ${text(name)}`,
  BranchRenamed: ({ name }) => `เปลี่ยนชื่อสาขาเป็น ${text(name)}`,
  ApiKeyIssued: ({ expiresAt, keyDigest, name, networks, scopes }) =>
    `ออกคีย์ API ${keyText(keyDigest)}`
    + (name === undefined ? " เป็นคีย์หลัก" : ` ชื่อ ${text(name)}`)
    + (Array.isArray(scopes) ? ` สำหรับ ${scopes.join(", ")}` : "")
    + (expiresAt === undefined ? "" : ` ใช้ได้ถึง ${timeText(expiresAt)}`)
    + (Array.isArray(networks) ? ` จาก ${networks.join(", ")}` : ""),
  ApiKeyRevoked: ({ keyDigest }) => `ยกเลิกคีย์ API ${keyText(keyDigest)}`,
  ApiKeyExpirySet: ({ expiresAt, keyDigest }) =>
    `ออกคีย์ใหม่แทนคีย์ API ${keyText(keyDigest)} ซึ่งใช้ได้ถึง ${timeText(expiresAt)}`,
  ApiKeyUsed: ({ day, keyDigest }) => `ใช้คีย์ API ${keyText(keyDigest)} เมื่อ ${text(day)}`,
  IpWhitelistSet: ({ entries }) => `ตั้งผู้เรียกที่อนุญาตเป็น ${Array.isArray(entries) ? entries.join(", ") : text(entries)}`,
  QuotaSet: ({ quota }) => quota === null ? "ตั้งโควตาเป็นไม่จำกัด" : `ตั้งโควตาเป็น ${text(quota)} ต่อเดือน`,
  WebhookUrlSet: ({ url }) => url === null ? "ลบ URL ของเว็บฮุก" : `ตั้ง URL ของเว็บฮุกเป็น ${text(url)}`,
  WebhookSecretRotated: ({ previousExpiresAt }) =>
    previousExpiresAt === null ? "ออกรหัสลับเว็บฮุก" : `เปลี่ยนรหัสลับเว็บฮุก รหัสเดิมยังใช้ลงนามได้ถึง ${timeText(previousExpiresAt)}`,
  WebhookSecretResealed: () => "เข้ารหัสรหัสลับเว็บฮุกใหม่ รหัสเหมือนเดิม",
  BranchDeactivated: () => "ปิดใช้งานสาขา",
  BranchActivated: () => "เปิดใช้งานสาขา",
  PolicySet: ({ version }) => `ตั้งนโยบายการรับสลิปรุ่นที่ ${text(version)}`,
  PolicyRemoved: () => "ลบนโยบายการรับสลิป",

  SlipVerified: (data) =>
    `ตรวจสลิปของธนาคาร ${text(data["sendingBank"])} ยอด ${baht(data["amount"])} `
    + `โอนเมื่อ ${text(data["transferredAt"])} เป็นครั้งแรก: ${gatewayText(data)}; ${verdict(data)}`,
  SlipVerifiedAgain: (data) => `ตรวจสลิปซ้ำ; ${verdict(data)}`,
  VerificationFailed: (data) => `การตรวจจบด้วย ${endCodeText(data)}: ${text(data["why"])}${gatewaySuffix(data)}`,
  NoteAdded: () => "สาขาเพิ่มบันทึก",
  SealedValuesBound: () => "ตั้งแต่จุดนี้ ข้อมูลที่เข้ารหัสแต่ละรายการเปิดได้เฉพาะในรายการของตัวเอง",
  PersonalDataForgotten: ({ jobIds, reason }) =>
    "ลบข้อมูลส่วนบุคคลแล้ว: ข้อมูลที่เข้ารหัสของสลิปเปิดไม่ได้อีก"
    + (Array.isArray(jobIds) && jobIds.length > 0 ? ` รวมถึงของ ${jobIds.length} งาน` : "")
    + (reason === null ? "" : `; เหตุผล: ${text(reason)}`),
  CheckpointSigned: ({ count, keyId, number, position }) =>
    `ลงนาม tree head ที่ ${text(number)} ด้วยคีย์ ${text(keyId)}: ${text(count)} เหตุการณ์ถึงตำแหน่ง ${text(position)}`,

  VerificationEnqueued: (data) =>
    `รับสลิปไว้ตรวจภายหลัง${batchSuffix(data)}; `
    + (data["charged"] === true ? "จอง 1 โควตา" : "ไม่จองโควตา")
    + (typeof data["expectedAmount"] === "number" ? `; ยอดที่คาดไว้ ${baht(data["expectedAmount"])}` : "")
    + (data["callbackUrl"] === null ? "; ไม่แจ้งผล" : `; แจ้งผลไปที่ ${text(data["callbackUrl"])}`),
  VerificationAttemptFailed: (data) =>
    `ครั้งที่ ${text(data["attempt"])} จบด้วย ${text(data["code"])}: ${text(data["why"])}${gatewaySuffix(data)}; `
    + nextAttempt(data),
  JobSucceeded: (data) =>
    `งานสำเร็จในครั้งที่ ${text(data["attempt"])}: ${data["isDuplicate"] === true ? "สลิปซ้ำ" : "สลิปไม่ซ้ำ"}; ${charge(data)}`,
  JobNotFound: ({ attempt, code }) => `งานจบโดยยืนยันสลิปไม่ได้หลังครั้งที่ ${text(attempt)}: ${text(code)}; ไม่คิดโควตา`,
  CallbackScheduled: ({ url }) => `กำหนดแจ้งผลไปที่ ${text(url)}`,
  CallbackSent: ({ attempt, host }) => `ส่งการแจ้งผลครั้งที่ ${text(attempt)} ไปที่ ${text(host)}`,
  CallbackAttemptFailed: (data) =>
    `แจ้งผลครั้งที่ ${text(data["attempt"])} ไม่สำเร็จใน ${text(data["tookMillis"])} มิลลิวินาที: ${text(data["reason"])}; `
    + nextAttempt(data),
  CallbackDelivered: (data) => `แจ้งผลสำเร็จ${callbackAnswer(data)}`,
  CallbackRejected: (data) => `ปลายทางปฏิเสธการแจ้งผล${callbackAnswer(data)}; ไม่ส่งอีก`,
  CallbackAbandoned: ({ attempts, host }) => `เลิกแจ้งผลไปที่ ${text(host)} หลังส่ง ${text(attempts)} ครั้ง`,
  CallbackRedeliveryRequested: ({ nextAttemptAt }) =>
    `ขอให้แจ้งผลใหม่ กำหนด ${timeText(nextAttemptAt)}; เริ่มรอบการลองใหม่ตั้งแต่ต้น`,

  BankAccountRegistered: ({ bankCode, branchId, movedFrom }) =>
    movedFrom === null
      ? `ลงทะเบียนบัญชีรับเงินธนาคาร ${text(bankCode)} และผูกกับสาขา ${text(branchId)}`
      : `เริ่มย้ายบัญชีรับเงินไปเลขใหม่ของธนาคาร ${text(bankCode)}`,
  BankAccountChanged: () => "แก้ไขบัญชีรับเงิน",
  BankAccountResealed: () => "เข้ารหัสข้อมูลบัญชีรับเงินใหม่ เลขและชื่อเหมือนเดิม",
  BankAccountLinked: ({ branchId }) => `ผูกบัญชีรับเงินกับสาขา ${text(branchId)}`,
  BankAccountUnlinked: ({ branchId }) => `เลิกผูกบัญชีรับเงินกับสาขา ${text(branchId)}`,
  BankAccountDeactivated: ({ reason }) =>
    reason === "move-abandoned" ? "ยกเลิกการย้ายบัญชีรับเงิน: ใช้เลขเดิมต่อไป เลขใหม่ว่างอีกครั้ง" : "เลิกใช้บัญชีรับเงิน เลขบัญชีว่างอีกครั้ง",
  BankAccountMoved: ({ bankCode }) => `ย้ายบัญชีรับเงินไปเลขใหม่ของธนาคาร ${text(bankCode)} แล้ว`,
  BankAccountMoveRefused: () => "ปฏิเสธการย้ายบัญชีรับเงิน: ใช้เลขเดิมต่อไป",

  RequestBegun: () => "เริ่มคำขอที่มี Idempotency-Key",
  RequestRefused: ({ code, message }) => `ปฏิเสธคำขอที่มี Idempotency-Key อย่างถาวรด้วย ${text(code)}: ${text(message)}`,
  RequestReleased: () => "คำขอจบโดยไม่มีผลที่ต้องจำ Idempotency-Key ใช้ได้อีกครั้ง",
  PersonalDataRevealed: ({ by, command, from, to }) =>
    `แสดงข้อมูลส่วนบุคคลให้ ${text(by)} ด้วย ${text(command)}`
    + (from === null ? "" : ` ตั้งแต่ ${timeText(from)}`) + (to === null ? "" : ` ถึง ${timeText(to)}`),
  TrailExported: ({ after, format, from, personalData, subject, to }) =>
    `ส่งออก${exportedSubject(subject)}เป็น ${text(format).toUpperCase()} ข้อมูลส่วนบุคคล${
      exportedData[text(personalData)] ?? text(personalData)
    }`
    + (from === null ? "" : ` ตั้งแต่ ${timeText(from)}`) + (to === null ? "" : ` ถึง ${timeText(to)}`)
    + (after === null ? "" : ` หลังตำแหน่ง ${text(after)}`),
  ConsoleSessionEnded: () => "ออกจากระบบคอนโซล",
  ConsoleSessionsEnded: ({ operator }) =>
    operator === undefined ? "สิ้นสุดการเข้าสู่ระบบคอนโซลทั้งหมด" : `สิ้นสุดการเข้าสู่ระบบคอนโซลทั้งหมดของผู้ดูแล ${text(operator)}`,
  OperatorAdded: ({ name, role }) => `เพิ่มผู้ดูแล ${text(name)} บทบาท ${text(role)}`,
  OperatorRoleChanged: ({ name, role }) => `เปลี่ยนบทบาทของผู้ดูแล ${text(name)} เป็น ${text(role)}`,
  OperatorTokenIssued: ({ name }) => `ออกโทเคนใหม่ให้ผู้ดูแล ${text(name)}`,
  OperatorRemoved: ({ name }) => `ลบผู้ดูแล ${text(name)}`,
  OperatorSignedIn: ({ operator, role, source }) =>
    `ผู้ดูแล ${text(operator)} เข้าสู่ระบบคอนโซล บทบาท ${text(role)}`
    + (source === "oidc" ? " ผ่านผู้ให้บริการ OpenID Connect" : ""),
  OperatorRefused: ({ operation, operator, reason, subject, surface }) =>
    `ปฏิเสธ ${text(operation)} ของผู้ดูแล ${text(operator)} ${surface === "console" ? "ในคอนโซล" : "ทาง API ผู้ดูแล"}: ${
      reason === "name-taken" ? "ชื่อนี้เป็นของอีกบัญชีหนึ่ง" : "ไม่มีบทบาทที่จำเป็น"
    }` + (subject === undefined ? "" : ` (บัญชี ${text(subject)})`),
  ProjectionRebuildRequested: ({ projection }) => `ขอสร้างโปรเจกชัน ${text(projection)} ใหม่`,
  ProjectionComparisonRequested: ({ projection }) => `ขอเทียบโปรเจกชัน ${text(projection)} กับบันทึกเหตุการณ์`,
  EventsProven: ({ subject }) => `ออกหลักฐานของเหตุการณ์ของ ${provenSubject(subject)}`,
  RedeliveryChangedNothing: ({ from, host, jobId, to }) =>
    `ขอแจ้งผลใหม่ ${
      jobId !== null
        ? `ของงาน ${text(jobId)}`
        : host !== null
        ? `ไปที่ ${text(host)}`
        : `ตั้งแต่ ${timeText(from)} ถึง ${timeText(to)}`
    }: ไม่มีรายการที่ต้องส่ง`,
  OidcNameBound: ({ issuer, name, subject }) => `ชื่อ ${text(name)} เป็นของบัญชี ${text(subject)} ที่ ${text(issuer)}`,
  SignInLinkMade: ({ expiresAt, name }) => `สร้างลิงก์เข้าสู่ระบบของ ${text(name)} ใช้ได้ถึง ${text(expiresAt)}`,
  SignInLinkRedeemed: ({ keyDigest }) => `ใช้ลิงก์เข้าสู่ระบบแล้ว และออกคีย์ API ${keyText(keyDigest)}`,
  SignInLinkWithdrawn: () => "ยกเลิกลิงก์เข้าสู่ระบบ",
  ShopSessionEnded: () => "ออกจากระบบหน้าร้าน"
}
