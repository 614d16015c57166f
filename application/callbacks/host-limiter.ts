import { Clock, Effect } from "effect"
import type { Gate, Pass } from "../processes/limiter.ts"

/** What the log says of a host: failures in a row, and when the last of them was, in milliseconds since 1970. */
export interface HostHistory {
  readonly failures: number
  readonly lastFailureAt: number
}

export interface HostGateOptions {
  /**
   * How many have to go well until a host gets one more at a time, up to 8; 0 gives it all of them at once. What is
   * under way when a process dies is sent again, and a process that dies over and over is to double little.
   */
  readonly goodForOneMore: number
  /** Undefined when it can't be had at the moment: the host is taken for a good one, and asked after again. */
  readonly historyOf: (host: string) => Effect.Effect<HostHistory | undefined>
  /** Told when a host is paused, and when it is not any more. */
  readonly onCircuit: (host: string, isOpen: boolean) => Effect.Effect<void>
}

interface Host {
  /** Whether the log was asked. */
  readonly isKnown: boolean
  running: number
  /** How many went well since this process knows it. */
  wentWell: number
  /** In a row. */
  failures: number
  /** The circuit is open; from this time on one may try. Undefined while it is closed. */
  probeFrom: number | undefined
  isProbed: boolean
}

/** A gate in front of hosts. */
export interface HostGate extends Gate {
  /** Whether nobody can go in now, be it that the host is shut or busy. */
  readonly isTaken: (host: string, now: number) => boolean
}

/**
 * Per host at most 8 exchanges at a time, and fewer at first. 10 failures in a row open its circuit: it is left in peace but for one probe
 * every 30 seconds, until one goes well. There is no limit over all hosts, which a few slow ones could use up.
 */
export const makeHostGate = ({ goodForOneMore, historyOf, onCircuit }: HostGateOptions): HostGate => {
  const hosts = new Map<string, Host>()

  const roomOf = ({ wentWell }: Host): number =>
    goodForOneMore === 0 ? mostRunning : Math.min(mostRunning, 1 + Math.floor(wentWell / goodForOneMore))

  const read = Effect.fnUntraced(function* (name: string) {
    const history = yield* historyOf(name)
    const known = hosts.get(name)
    if (known !== undefined && !isUnread(known)) return known
    const isOpen = history !== undefined && history.failures >= mostFailures
    const host: Host = {
      isKnown: history !== undefined,
      running: 0,
      wentWell: known?.wentWell ?? 0,
      failures: Math.max(known?.failures ?? 0, history?.failures ?? 0),
      probeFrom: isOpen ? history.lastFailureAt + coolDownMillis : undefined,
      isProbed: false
    }
    if (hosts.size >= mostHosts) forgetIdle()
    hosts.set(name, host)
    if (isOpen) yield* onCircuit(name, true)
    return host
  })

  const forgetIdle = () => {
    for (const [name, { probeFrom, running }] of hosts) {
      if (running === 0 && probeFrom === undefined) hosts.delete(name)
      if (hosts.size <= mostHosts / 2) return
    }
  }

  /** Read while it is in nobody's hands, so that nobody counts on what is replaced. */
  const isUnread = ({ isKnown, probeFrom, running }: Host) => !isKnown && running === 0 && probeFrom === undefined

  const isShut = ({ isProbed, probeFrom }: Host, now: number) =>
    probeFrom !== undefined && (isProbed || now < probeFrom)

  const passOf = (name: string, host: Host): Pass => {
    const isProbe = host.probeFrom !== undefined
    host.running++
    host.isProbed ||= isProbe
    return {
      report: Effect.fnUntraced(function* (went) {
        const wasOpen = host.probeFrom !== undefined
        host.failures = went === "well" ? 0 : host.failures + 1
        if (went === "well") host.wentWell++
        const isOpen = host.failures >= mostFailures
        host.probeFrom = isOpen ? (yield* Clock.currentTimeMillis) + coolDownMillis : undefined
        if (isOpen !== wasOpen) yield* onCircuit(name, isOpen)
      }),
      leave: Effect.sync(() => {
        host.running--
        if (isProbe) host.isProbed = false
      })
    }
  }

  return {
    enter: Effect.fnUntraced(function* (name) {
      const known = hosts.get(name)
      const host = known === undefined || isUnread(known) ? yield* read(name) : known
      const now = yield* Clock.currentTimeMillis
      return isShut(host, now) || host.running >= roomOf(host) ? undefined : passOf(name, host)
    }),
    isShut: (name, now) => {
      const host = hosts.get(name)
      return host !== undefined && isShut(host, now)
    },
    isTaken: (name, now) => {
      const host = hosts.get(name)
      return host !== undefined && (isShut(host, now) || host.running >= roomOf(host))
    }
  }
}

const mostRunning = 8
const mostFailures = 10
const coolDownMillis = 30_000
/** Of all that are neither busy nor paused what the log says can be read again. */
const mostHosts = 5_000
