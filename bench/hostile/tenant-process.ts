import http from "node:http"
import { payloadOf } from "../http/rendered.ts"
import type { Target, TenantReport, TenantRequest } from "./messages.ts"

// The honest tenant, in a separate process. It sends on schedule: a slow answer does not delay the next request.

let slip = 1_000_000_000

process.on("message", (request: TenantRequest) => {
  void verifyAll(request).then((report) => process.send?.(report))
})

const verifyAll = async ({ perSecond, picture, picturesPerSecond, seconds, targets }: TenantRequest) => {
  const agent = new http.Agent({ keepAlive: true })
  const report = { payloads: [] as Array<number>, pictures: [] as Array<number>, wrong: 0, wrongAnswer: "" }
  const send = (target: Target, body: string, times: Array<number>): Promise<void> =>
    new Promise((resolve) => {
      const started = performance.now()
      const fail = (answer: string) => {
        report.wrong++
        report.wrongAnswer = answer
        resolve()
      }
      const call = http.request({
        agent,
        port: target.port,
        host: "127.0.0.1",
        method: "POST",
        path: "/v2/verify/bank",
        headers: {
          "authorization": `Bearer ${target.apiKey}`,
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body)
        }
      }, (response) => {
        let text = ""
        response.setEncoding("utf8").on("data", (chunk: string) => text += chunk).on("end", () => {
          times.push(performance.now() - started)
          if (response.statusCode === 200) resolve()
          else fail(`${response.statusCode} ${text}`)
        })
      })
      call.on("error", (error) => fail(String(error)))
      call.end(body)
    })

  const withPicture = JSON.stringify({ image: picture })
  const schedules = targets.flatMap((target) => [
    schedule(seconds, perSecond, () => send(target, JSON.stringify({ payload: payloadOf(slip++) }), report.payloads)),
    schedule(seconds, picturesPerSecond, () => send(target, withPicture, report.pictures))
  ])
  await Promise.all(schedules)
  agent.destroy()
  return report satisfies TenantReport
}

/** Runs a task at a fixed rate. Resolves when the last one has ended. */
const schedule = (seconds: number, perSecond: number, task: () => Promise<void>): Promise<unknown> =>
  Promise.all(Array.from({ length: Math.round(seconds * perSecond) }, async (_, index) => {
    await new Promise((resolve) => setTimeout(resolve, index * 1_000 / perSecond))
    await task()
  }))
