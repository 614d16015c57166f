import { readFileSync, writeFileSync } from "node:fs"
import { serveThread } from "../../../../infrastructure/platform/threads/serve-thread.ts"

/** A task that the test sends to the thread. */
export type Task = "echo" | "fail" | "crash" | "hang" | "report" | "priority"

/** A thread that reports its data as `ready`, and writes `closed` to that file when it is closed. */
serveThread<string, string, Task, string, number>((file) => {
  if (file === "broken") throw new Error("the file is broken")
  return {
    ready: file,
    answer: async (task, progress) => {
      if (task === "fail") throw new Error("refused")
      if (task === "hang") { for (;;); }
      if (task === "crash") {
        setImmediate(() => {
          throw new Error("out of luck")
        })
      }
      if (task === "crash") await new Promise(() => {})
      if (task === "report") { for (const step of [1, 2]) progress(step) }
      return task === "priority" ? ownPriority() : task
    },
    close: () => writeFileSync(file, "closed")
  }
}, { inBackground: true })

/** From proc_pid_stat(5): the 19th field, where the name before the third may contain spaces. */
const ownPriority = (): string => {
  const [, fields = ""] = readFileSync("/proc/thread-self/stat", "utf8").split(") ")
  return fields.split(" ")[16] ?? ""
}
