import type { enOverview } from "../../en/console/overview.ts"

/** The texts of the overview and of the projections in Thai. */
export const thOverview: typeof enOverview = {
  overview: {
    title: "ภาพรวม",
    health: "สุขภาพระบบ",
    ready: "พร้อมให้บริการ",
    notReady: "ยังไม่พร้อมให้บริการ",
    models: "โมเดลสำหรับอ่าน",
    behind: (count) => `ตามหลัง ${count}`,
    upToDate: "เป็นปัจจุบัน",
    recent: "การตรวจล่าสุด",
    recentAll: "การตรวจทั้งหมด",
    recentNone: "ยังไม่มีการตรวจ",
    result: "ผล",
    branch: "สาขา",
    verdict: { first: "ตรวจแล้ว", duplicate: "ซ้ำ", failed: "ไม่สำเร็จ" }
  },
  statistics: {
    today: "วันนี้",
    lastDay: "24 ชั่วโมงที่ผ่านมา",
    week: "7 วันที่ผ่านมา",
    verified: "ตรวจแล้ว",
    duplicates: "ซ้ำ",
    failed: "ไม่สำเร็จ",
    amount: "ยอดเงิน",
    p95: "เวลาที่ใช้ตรวจ (p95)",
    spark: (name, highest) => `${name} ใน 24 ชั่วโมงที่ผ่านมา ชั่วโมงที่สูงสุดคือ ${highest}`,
    firstHour: "ชั่วโมงแรกของวัน",
    change: (percent, until) => `${percent} เทียบกับเมื่อวานถึง ${until} น.`,
    same: (until) => `เท่ากับเมื่อวานถึง ${until} น.`,
    yesterday: (value, until) => `เมื่อวานถึง ${until} น. ${value}`,
    noneYesterday: (until) => `เมื่อวานถึง ${until} น. ไม่มีข้อมูล`,
    outcomes: { hour: "จำนวนการตรวจต่อชั่วโมง", day: "จำนวนการตรวจต่อวัน" },
    aboutOutcomes: (verified, duplicates, failed) =>
      `ตรวจแล้ว ${verified} รายการ ซ้ำ ${duplicates} รายการ และไม่สำเร็จ ${failed} รายการ`,
    latency: "เวลาที่ใช้ตรวจ",
    aboutLatency: "p50 คือเวลาที่การตรวจครึ่งหนึ่งใช้ไม่เกิน และ p95 คือเวลาที่การตรวจร้อยละ 95 ใช้ไม่เกิน",
    callbacks: "การส่งแจ้งผล",
    aboutCallbacks: (delivered, failed, rejected) =>
      `ส่งถึง ${delivered} ครั้ง จะส่งซ้ำ ${failed} ครั้ง และถูกปฏิเสธ ${rejected} ครั้ง`,
    attempts: { delivered: "ส่งถึง", failed: "จะส่งซ้ำ", rejected: "ถูกปฏิเสธ" },
    hour: "ชั่วโมง",
    day: "วัน",
    table: "แสดงตัวเลข",
    empty: "ไม่มีการตรวจในช่วงเวลานี้",
    noLatency: "ไม่มีข้อมูลเวลาที่ใช้ตรวจในช่วงเวลานี้ การตรวจรุ่นเก่าไม่ได้บันทึกเวลาไว้",
    noCallbacks: "ไม่มีการส่งแจ้งผลในช่วงเวลานี้"
  },
  problems: {
    title: "ปัญหา",
    none: "ไม่พบปัญหา",
    ahead: (model) => `โมเดลสำหรับอ่าน ${model} อยู่หน้าบันทึกเหตุการณ์ ต้องสร้างใหม่`,
    gateway: (name) => `ขณะนี้ไม่ได้ใช้เกตเวย์ ${name}`,
    host: (host, failures) => `${host} รับการแจ้งผลไม่สำเร็จ ${failures} ครั้งติดต่อกัน การแจ้งผลไปที่นี่จึงรออยู่`,
    quota: (branch, quota) => `สาขา ${branch} ใช้โควตาของเดือนนี้ครบ ${quota} แล้ว`
  },
  strip: {
    service: "บริการ",
    usable: (usable, all) => `ใช้งานได้ ${usable} จาก ${all}`,
    callbacks: "การแจ้งผลที่รออยู่",
    abandoned: "การแจ้งผลที่เลิกส่ง",
    jobs: "งานที่ยังไม่จบ"
  },
  gateways: {
    title: "เกตเวย์",
    name: "ชื่อเกตเวย์",
    state: "สถานะ",
    closed: "ใช้งานปกติ",
    paused: {
      failures: "พักใช้งานชั่วคราวเพราะผิดพลาด",
      key: "ปฏิเสธคีย์",
      ip: "ปฏิเสธที่อยู่ IP ของเครื่องนี้",
      account: "ปฏิเสธบัญชีผู้ใช้",
      quota: "โควตาหมด"
    },
    left: "โควตาคงเหลือ",
    unlimited: "ไม่จำกัด",
    end: "แพ็กเกจหมดอายุ",
    ended: "หมดอายุแล้ว",
    chargedToday: "คิดค่าบริการวันนี้",
    free: "ไม่มีค่าบริการ",
    hint: "ยอดวันนี้นับเฉพาะโปรเซสนี้ตั้งแต่เริ่มทำงาน ราคามาจากค่าตั้งที่ชื่อลงท้ายด้วย _PRICE"
  },
  projections: {
    title: "โปรเจกชัน",
    lead: "โมเดลสำหรับอ่านสร้างจากบันทึกเหตุการณ์ หากสูญหายจะสร้างใหม่ได้",
    model: "โมเดล",
    checkpoint: "จุดที่อ่านถึง",
    head: "ท้ายบันทึก",
    lag: "ความล่าช้า",
    ahead: "อยู่หน้าบันทึก",
    rebuild: "สร้างใหม่",
    rebuildHint: "สร้างชุดใหม่ควบคู่กับชุดที่ใช้อยู่ แล้วใช้แทนที่ หากบันทึกยาวจะใช้เวลา",
    compare: "เปรียบเทียบ",
    compareHint: "ประมวลผลบันทึกซ้ำแล้วเทียบกับโมเดลที่ใช้อยู่ หากบันทึกยาวจะใช้เวลา",
    same: (lines) => `โมเดลตรงกับการประมวลผลซ้ำ: ${lines} บรรทัด`,
    differs: "โมเดลต่างจากการประมวลผลซ้ำ",
    surplus: (count) => `${count} บรรทัดที่มีเฉพาะในโมเดล`,
    missing: (count) => `${count} บรรทัดที่มีเฉพาะในการประมวลผลซ้ำ`
  }
}
