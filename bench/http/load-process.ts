import { connect, type Socket } from "node:net"
import { quantile } from "../measure/statistics.ts"
import type { LapReport, LapRequest } from "./messages.ts"
import { isExpected, renderRequests } from "./rendered.ts"

// Makes the load, in a separate process: sends rendered requests over raw sockets. Each socket sends its next request
// when the previous one is answered.

process.on("message", (request: LapRequest) => {
  void drive(request).then((report) => process.send?.(report))
})

const drive = async (request: LapRequest): Promise<LapReport> => {
  const requests = renderRequests(request)
  const took = new Float64Array(requests.length)
  let next = 0
  let wrong = 0
  let wrongAnswer = ""

  const lane = (socket: Socket): Promise<void> =>
    new Promise((resolve, reject) => {
      let started = 0
      let index = 0
      let partial: Buffer | undefined
      const send = (): void => {
        const bytes = requests[next]
        if (bytes === undefined) return resolve()
        index = next++
        started = performance.now()
        socket.write(bytes)
      }
      socket.on("data", (chunk: Buffer) => {
        const bytes = partial === undefined ? chunk : Buffer.concat([partial, chunk])
        if (!isComplete(bytes)) {
          partial = bytes
          return
        }
        partial = undefined
        took[index] = performance.now() - started
        if (!isExpected(request.kind, bytes)) {
          wrong++
          wrongAnswer = bytes.toString()
        }
        send()
      })
      socket.on("close", () =>
        reject(new Error(`the server closed a connection${partial === undefined ? "" : ` in: ${partial}`}`)))
      socket.on("error", reject)
      send()
    })

  const { connections, ports } = request
  const portOf = (index: number): number => ports[index % ports.length] ?? 0
  const sockets = await Promise.all(Array.from({ length: connections }, (_, index) => open(portOf(index))))
  const started = performance.now()
  await Promise.all(sockets.map(lane))
  const millis = performance.now() - started
  for (const socket of sockets) {
    socket.removeAllListeners("close").destroy()
  }
  return { millis, p50: quantile(took, 0.5), p99: quantile(took, 0.99), wrong, wrongAnswer }
}

const open = (port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => resolve(socket))
    socket.once("error", reject)
  })

const LENGTH = /content-length: (\d+)/iu

const isComplete = (bytes: Buffer): boolean => {
  const end = bytes.indexOf("\r\n\r\n")
  if (end < 0) return false
  const length = LENGTH.exec(bytes.toString("latin1", 0, end))?.[1]
  return length !== undefined && bytes.length >= end + 4 + Number(length)
}
