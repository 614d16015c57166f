import * as Result from "effect/Result"
import { serveThread } from "../../platform/threads/serve-thread.ts"
import { checkHeader, decoderFile } from "./header.ts"
import { type NativeSection, nativeSection } from "./native-section.ts"
import {
  type Findings,
  type ReadAnswer,
  type ReadOutcome,
  type ReadTask,
  type UncheckedTask,
  Undecodable
} from "./reading.ts"
import type { LeftNativeCode, ThreadData } from "./worker-thread.ts"

serveThread<ThreadData, undefined, UncheckedTask, ReadAnswer, LeftNativeCode>(({ nativeState, role }) => {
  /** Loads only the reader of this thread's role: the portable reader must run where sharp is not installed. */
  const find = async (task: ReadTask, section: NativeSection): Promise<Findings> => {
    if (role === "native") return (await import("./native-reader.ts")).readNative(task, section)
    return (await import("./portable-reader.ts")).readPortable(task)
  }

  const read = async (task: ReadTask, section: NativeSection): Promise<ReadOutcome> => {
    const { format, height, width } = task.header
    try {
      return { _tag: "Read", picture: { format, width, height }, findings: await find(task, section) }
    } catch (cause) {
      if (cause instanceof Undecodable) return { _tag: "Refused", reason: cause.reason, why: cause.message }
      throw cause
    }
  }

  const readChecked = async (
    { bytes, callSeconds }: UncheckedTask,
    section: NativeSection
  ): Promise<Omit<ReadAnswer, "cpuMillis">> => {
    const checked = checkHeader(bytes)
    if (Result.isFailure(checked)) {
      const why = "the header check refused the picture"
      return { outcome: { _tag: "Refused", reason: checked.failure, why }, decodedPixels: 0 }
    }
    const header = checked.success
    const outcome = await read({ bytes: decoderFile(header), header, callSeconds }, section)
    return { outcome, decodedPixels: header.width * header.height }
  }

  return {
    ready: undefined,
    answer: async (task, progress) => {
      const section = nativeSection(nativeState, () => progress("left native code"))
      let nativeMillis = 0
      // Native code works in a thread of its own, which the CPU time of this thread does not include.
      const measuredSection: NativeSection = async (work) => {
        const started = performance.now()
        try {
          return await section(work)
        } finally {
          nativeMillis += performance.now() - started
        }
      }
      const before = process.threadCpuUsage()
      const answer = await readChecked(task, measuredSection)
      const { system, user } = process.threadCpuUsage(before)
      return { ...answer, cpuMillis: (user + system) / 1_000 + nativeMillis }
    }
  }
}, { inBackground: true })
