import type { JsonObject } from "../../domain/events/recorded-event.ts"
import type { enJobs } from "./en-jobs.ts"
import { asked, baht } from "./th-words.ts"
import { say, type Sentence } from "./messages.ts"

/** One sentence an event type of jobs and of their callbacks, from its data, in Thai. */
export const thJobs: Readonly<Record<keyof typeof enJobs, Sentence>> = {
  VerificationEnqueued: (data) =>
    `รับสลิปไว้ตรวจภายหลัง${placeInBatch(data)}; `
    + (data["charged"] === true ? "จอง 1 โควตา" : "ไม่จองโควตา")
    + (typeof data["expectedAmount"] === "number" ? `; ยอดที่คาดไว้ ${baht(data["expectedAmount"])}` : "")
    + (data["callbackUrl"] === null ? "; ไม่มีการแจ้งกลับ" : `; แจ้งผลไปที่ ${say(data["callbackUrl"])}`),
  VerificationAttemptFailed: (data) =>
    `ครั้งที่ ${say(data["attempt"])} จบด้วย ${say(data["code"])}: ${say(data["why"])}${asked(data)}; `
    + next(data, "เป็นครั้งสุดท้าย"),
  JobSucceeded: ({ attempt, charged, isDuplicate }) =>
    `งานสำเร็จในครั้งที่ ${say(attempt)}: ${isDuplicate === true ? "สลิปซ้ำ" : "สลิปไม่ซ้ำ"}; `
    + (charged === true ? "คิด 1 โควตา" : "ไม่คิดโควตา คืนที่จองไว้"),
  JobNotFound: ({ attempt, code }) => `งานจบโดยไม่พบสลิปหลังครั้งที่ ${say(attempt)}: ${say(code)}; ไม่คิดโควตา คืนที่จองไว้`,
  CallbackScheduled: ({ url }) => `จะแจ้งผลไปที่ ${say(url)}`,
  CallbackSent: ({ attempt, host }) => `ส่งการแจ้งผลไปที่ ${say(host)} ครั้งที่ ${say(attempt)}`,
  CallbackAttemptFailed: (data) =>
    `แจ้งผลครั้งที่ ${say(data["attempt"])} ไม่สำเร็จใน ${say(data["tookMillis"])} มิลลิวินาที: ${say(data["reason"])}; `
    + next(data, "เลิกส่ง"),
  CallbackDelivered: (data) => `แจ้งผลสำเร็จ${answered(data)}`,
  CallbackRejected: (data) => `ปลายทางปฏิเสธการแจ้งผล${answered(data)}; จะไม่ส่งอีก`,
  CallbackAbandoned: ({ attempts, host }) => `เลิกแจ้งผลไปที่ ${say(host)} หลังส่ง ${say(attempts)} ครั้ง`,
  CallbackRedeliveryRequested: ({ nextAttemptAt }) => `ขอให้แจ้งผลใหม่ กำหนด ${say(nextAttemptAt)}; เริ่มนับการลองใหม่อีกครั้ง`
}

const placeInBatch = ({ batchId, batchIndex, batchSize }: JsonObject): string =>
  typeof batchIndex === "number" ? ` ลำดับที่ ${batchIndex + 1} จาก ${say(batchSize)} ในชุด ${say(batchId)}` : ""

const next = ({ nextAttemptAt }: JsonObject, none: string): string =>
  nextAttemptAt === null ? none : `ครั้งต่อไปกำหนด ${say(nextAttemptAt)}`

const answered = ({ attempt, host, status, tookMillis }: JsonObject): string =>
  `ในครั้งที่ ${say(attempt)}: ${say(host)} ตอบ ${say(status)} ใน ${say(tookMillis)} มิลลิวินาที`
