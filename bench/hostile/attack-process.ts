import { spawnSync } from "node:child_process"
import { constants, setPriority } from "node:os"
import { attacks } from "./attacks.ts"
import type { AttackReport, AttackRequest } from "./messages.ts"

// The attacker, in a separate process. With the lowest priority: it shares the processors with the service, and its own
// work must not count as the effect of an attack.
setPriority(constants.priority.PRIORITY_LOW)
// On Linux, a thread of normal policy replaces an idle one at once. A low priority alone is not enough: the attacker kept
// one of two cores busy, and the service waited twice as long for a processor at the same use of it.
spawnSync("chrt", ["--all-tasks", "--idle", "--pid", "0", String(process.pid)], { stdio: "ignore" })

let abort = new AbortController()
let running: ReadonlyArray<Promise<void>> = []
let answers: Record<string, number> = {}

const reply = (): void => {
  process.send?.({ answers } satisfies AttackReport)
}

process.on("message", (request: AttackRequest) => {
  if (request.kind === "stop") {
    abort.abort()
    void Promise.allSettled(running).then(reply)
    return
  }
  abort = new AbortController()
  answers = {}
  running = request.attacks.map((name) => {
    const attack = attacks[name]
    if (attack === undefined) throw new Error(`unknown attack: ${name}`)
    return attack(request.surroundings, abort.signal, (status) => {
      answers[status] = (answers[status] ?? 0) + 1
    })
  })
  reply()
})
