package terms

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// chinese maps programmers' terms in Chinese to the words that code uses. Longer terms win.
var chinese = sync.OnceValue(func() map[string]string {
	return pairs(`
压缩 compress compact, 解压 decompress, 配置 config, 设置 set setting, 错误 error, 报错 error, 出错 error, 错误码 code error, 缓存 cache,
缓冲 buffer, 缓冲区 buffer, 窗口 window, 上下文 context, 请求 request, 响应 response, 应答 response reply, 回复 reply, 返回 return,
返回值 return result, 日志 log, 数据库 database, 数据 data, 连接 connect connection, 连接池 pool connection, 断开 disconnect close,
断线 disconnect, 重连 reconnect, 线程 thread, 线程池 pool thread, 进程 process, 子进程 subprocess child, 协程 goroutine coroutine,
队列 queue, 消息 message, 事件 event, 路由 route, 路由器 router, 认证 auth, 鉴权 auth, 授权 auth, 登录 login, 登出 logout, 用户 user,
密码 password, 口令 password, 令牌 token, 密钥 key secret, 公钥 key public, 私钥 key private, 加密 encrypt, 解密 decrypt, 解析 parse,
解析器 parser, 序列化 serialize, 反序列化 deserialize, 编码 encode encoding, 解码 decode, 转义 escape, 文件 file, 文件名 filename,
文件夹 directory folder, 目录 directory, 路径 path, 搜索 search, 查找 find lookup, 寻找 find, 查询 query, 索引 index, 下标 index,
排序 sort, 顺序 order, 过滤 filter, 筛选 filter, 级别 level, 层级 level, 等级 level, 预算 budget, 配额 quota, 限制 limit, 上限 max limit,
下限 min limit, 限流 ratelimit throttle, 限速 ratelimit limit, 超时 timeout, 过期 expire, 到期 expire, 失效 invalid expire,
有效期 ttl expire, 存活 alive live, 重试 retry, 重复 repeat duplicate, 去重 dedupe unique, 取消 cancel, 中止 abort, 中断 interrupt,
终止 terminate, 并发 concurrent parallel, 并行 parallel, 异步 async, 同步 sync, 锁 lock mutex, 加锁 lock, 解锁 unlock, 死锁 deadlock,
互斥 mutex, 原子 atomic, 阻塞 block, 等待 wait, 唤醒 wake, 通知 notify, 信号 signal, 信号量 semaphore, 休眠 sleep, 测试 test, 接口 interface,
函数 function, 方法 method, 类型 type, 变量 variable, 常量 constant, 参数 parameter argument, 实参 argument, 命令 command,
命令行 command cli, 选项 option, 标志 flag, 开关 flag switch, 子命令 subcommand, 补全 completion, 自动补全 completion, 帮助 help,
版本 version, 版本号 version, 依赖 dependency depend, 模块 module, 插件 plugin, 扩展 extension extend, 工具 tool, 模型 model,
提供者 provider, 代理 proxy agent, 记忆 memory, 内存 memory, 磁盘 disk, 存储 store storage, 会话 session, 历史 history,
摘要 digest summary, 总结 summary, 流 stream, 流式 stream, 数据流 stream, 渲染 render, 模板 template, 页面 page, 组件 component,
状态 status state, 状态码 status code, 状态机 state machine, 校验 validate check, 校验和 checksum, 验证 validate verify, 验签 verify,
检查 check, 检测 detect, 探测 probe detect, 判断 determine decide, 判定 determine, 决定 decide, 确定 determine, 注册 register,
启动 start startup, 初始化 init, 关闭 close shutdown, 关机 shutdown, 停机 shutdown, 优雅 graceful, 优雅关闭 graceful shutdown,
退出 exit quit, 重启 restart, 重载 reload, 热加载 reload, 清理 clean cleanup, 清空 clear flush, 清除 clear, 删除 delete remove,
移除 remove, 更新 update, 修改 modify change, 变更 change, 改变 change, 替换 replace, 覆盖 override overwrite, 创建 create,
新建 create new, 生成 generate, 产生 produce generate, 构造 construct build, 构造函数 constructor, 写入 write, 写 write, 读取 read,
读 read, 加载 load, 载入 load, 卸载 unload, 保存 save, 持久化 persist, 落盘 persist disk, 刷盘 flush sync, 刷新 refresh flush,
备份 backup, 归档 archive, 导入 import, 导出 export, 转换 convert transform, 转化 convert, 转为 convert, 转成 convert,
变成 become convert, 映射 map mapping, 格式 format, 格式化 format, 字符串 string, 字符 character char, 字节 byte, 文本 text, 数字 number,
数值 number value, 整数 integer int, 浮点 float, 浮点数 float, 布尔 bool, 枚举 enum, 日期 date, 时间 time, 时间戳 timestamp, 时区 timezone,
时钟 clock, 时长 duration, 延迟 delay latency, 延时 delay, 推迟 defer delay, 间隔 interval, 周期 period interval, 定期 periodic,
定时 timer schedule, 定时器 timer, 计时 timer, 数组 array, 切片 slice, 列表 list, 链表 list linked, 栈 stack, 堆 heap, 堆栈 stack,
调用栈 stack, 集合 set collection, 字典 dict map, 哈希 hash, 散列 hash, 树 tree, 图 graph, 节点 node, 边 edge, 根 root, 叶子 leaf, 键 key,
值 value, 对象 object, 实例 instance, 属性 attribute property, 成员 member, 元素 element, 条目 entry item, 项 item, 记录 record,
行 line row, 列 column, 表 table, 表格 table, 单元 unit, 单位 unit, 大小 size, 尺寸 size, 长度 length, 宽度 width, 高度 height, 深度 depth,
数量 count number, 个数 count number, 次数 count times, 总数 total, 计算 compute calculate, 计数 count, 计数器 counter,
统计 stat statistics count, 累加 add accumulate, 累计 accumulate total, 求和 sum, 平均 average mean, 百分位 percentile quantile,
分位数 quantile, 直方图 histogram, 采样 sample sampling, 样本 sample, 随机 random, 种子 seed, 估算 estimate, 估计 estimate, 比较 compare,
对比 compare diff, 差异 diff difference, 相等 equal, 相同 same equal, 不同 different, 冲突 conflict, 匹配 match, 命中 hit, 未命中 miss,
回调 callback, 钩子 hook, 监听 listen, 监听器 listener, 观察 observe watch, 监视 watch monitor, 触发 trigger fire, 中间件 middleware,
拦截 intercept, 拦截器 interceptor, 过滤器 filter, 处理器 handler, 处理函数 handler, 分发 dispatch distribute, 派发 dispatch, 转发 forward,
服务器 server, 服务端 server, 服务 service, 客户端 client, 浏览器 browser, 网络 network, 端口 port, 地址 address, 主机 host, 主机名 hostname,
域名 domain host, 网址 url, 链接 link, 套接字 socket, 管道 pipe pipeline, 通道 channel, 频道 channel, 主题 theme topic subject,
数据包 packet, 帧 frame, 握手 handshake, 心跳 heartbeat ping, 保活 keepalive, 长连接 keepalive, 重定向 redirect, 跳转 redirect jump,
头部 header, 请求头 header, 响应头 header, 标头 header, 头 header, 请求体 body, 响应体 body, 正文 body, 消息体 body, 分块 chunk,
块 block chunk, 分片 shard fragment, 分段 segment, 段 segment section, 表单 form, 证书 certificate cert, 签名 sign signature,
权限 permission, 角色 role, 安全 secure security safe, 敏感 sensitive secret, 泄露 leak, 泄漏 leak, 跨域 cors, 事务 transaction,
提交 commit submit, 回滚 rollback, 撤销 undo revoke, 快照 snapshot, 检查点 checkpoint, 迁移 migrate migration, 复制 copy replicate,
拷贝 copy, 副本 replica copy, 主从 replica master, 从节点 replica slave, 主节点 leader master, 领导者 leader, 选举 election elect,
投票 vote, 任期 term, 集群 cluster, 分区 partition, 共识 consensus, 一致性 consistency consistent, 一致 consistent, 负载 load payload,
负载均衡 balance loadbalance, 均衡 balance, 调度 schedule, 调度器 scheduler, 任务 task job, 作业 job, 工作者 worker, 消费者 consumer,
消费 consume, 生产者 producer, 确认 ack acknowledge confirm, 拒绝 reject refuse, 丢弃 drop discard, 丢失 lose lost, 丢 drop lose,
接受 accept, 允许 allow, 禁止 forbid disallow, 禁用 disable, 启用 enable, 开启 enable open, 激活 activate, 打开 open,
监控 monitor metric, 指标 metric, 追踪 trace track, 跟踪 track trace, 部署 deploy, 构建 build, 编译 compile, 编译器 compiler,
链接器 linker, 解释器 interpreter, 虚拟机 vm machine, 字节码 bytecode opcode, 指令 instruction, 语法 syntax grammar, 语法树 ast tree,
词法 lex lexer scan, 表达式 expression, 语句 statement, 运算符 operator, 操作符 operator, 优先级 priority precedence,
优先 prefer priority, 作用域 scope, 闭包 closure, 垃圾回收 gc garbage collect, 回收 collect reclaim recycle, 释放 free release,
分配 allocate alloc assign, 申请 acquire allocate, 获取 get acquire fetch, 拿到 get, 取出 extract take, 拉取 pull fetch,
抓取 scrape fetch, 安装 install, 选择 choose, 选 choose pick, 选中 select, 挑选 pick choose, 分词 token tokenize,
截断 truncate cut, 裁剪 cut trim, 折叠 fold, 折行 wrap, 换行 newline wrap, 缩进 indent, 空格 space, 空白 whitespace blank,
空行 blank line, 空 empty, 注释 comment, 引号 quote, 括号 bracket paren, 逗号 comma, 冒号 colon, 分隔符 separator delimiter,
分隔 separate split, 拆分 split, 切分 split, 分割 split, 拼接 join concat, 连接符 hyphen, 组合 combine compose, 打包 pack bundle,
封装 wrap, 包装 wrap, 包装器 wrapper, 装饰器 decorator, 继承 inherit, 子类 subclass, 父类 parent base, 基类 base, 多态 polymorph,
泛型 generic, 反射 reflect, 注解 annotation, 注入 inject, 恢复 recover resume restore, 还原 restore, 崩溃 crash panic, 恐慌 panic,
异常 exception error, 抛出 throw raise, 抛 throw raise, 捕获 catch capture, 失败 fail failure, 成功 success, 无效 invalid,
非法 invalid illegal, 合法 valid, 有效 valid, 警告 warn warning, 告警 alert warn, 循环 loop cycle, 迭代 iterate iteration,
迭代器 iterator, 遍历 traverse walk iterate, 递归 recursive, 嵌套 nest nested, 步骤 step, 阶段 stage phase, 停止 stop, 暂停 pause,
继续 continue resume, 完成 complete finish done, 结束 end finish, 开始 start begin, 报告 report, 引用 reference ref, 指针 pointer,
定义 define, 声明 declare declaration, 符号 symbol, 名称 name, 名字 name, 命名 name, 别名 alias, 前缀 prefix, 后缀 suffix,
扩展名 extension, 大纲 outline, 忽略 ignore, 跳过 skip, 排除 exclude, 包含 include contain, 正则 regex, 正则表达式 regex,
通配符 wildcard glob, 模式 mode pattern, 字段 field, 结构 struct, 结构体 struct, 入口 entry, 出口 exit, 上传 upload, 下载 download,
图片 image, 图像 image, 视频 video, 音频 audio, 附件 attachment, 邮件 mail, 支付 payment, 订单 order, 发送 send, 发出 send emit,
发起 initiate send, 接收 receive, 广播 broadcast, 订阅 subscribe subscription, 订阅者 subscriber, 发布 publish, 推送 push,
投递 deliver, 分支 branch, 标签 tag label, 标记 mark, 策略 policy strategy, 规则 rule, 提示词 prompt, 提示 prompt hint, 建议 suggest,
嵌入 embed, 向量 vector, 分页 page paginate, 必填 required, 必需 required, 可选 optional, 默认 default, 默认值 default, 缺省 default,
缺失 missing, 缺少 missing, 不存在 missing exist, 找不到 missing notfound, 未知 unknown, 空闲 idle, 忙 busy, 繁忙 busy, 满 full,
溢出 overflow, 超出 exceed, 超过 exceed, 过大 large exceed, 太大 large, 最大 max, 最小 min, 最多 max, 最少 min, 最近 recent, 最新 latest,
最旧 oldest, 淘汰 evict, 驱逐 evict, 逐出 evict, 回退 backoff fallback, 退避 backoff, 降级 fallback degrade, 兜底 fallback,
熔断 breaker, 背压 backpressure, 流控 flow control, 流量控制 flow control, 升级 upgrade, 兼容 compatible, 弃用 deprecate,
废弃 deprecate, 颜色 color, 高亮 highlight, 样式 style, 字体 font, 输出 output print, 输入 input, 打印 print, 显示 show display,
展示 display, 隐藏 hide hidden, 终端 terminal, 控制台 console, 光标 cursor, 按键 key, 键盘 keyboard, 鼠标 mouse, 剪贴板 clipboard,
编辑器 editor, 屏幕 screen, 绘制 draw, 布局 layout, 交互 interactive, 环境变量 environment env, 环境 environment env, 系统 system,
操作系统 os system, 平台 platform, 内核 kernel, 硬件 hardware, 容器 container, 镜像 image, 沙箱 sandbox, 源码 source, 源 source origin,
来源 source origin, 目标 target, 目的地 destination, 原始 raw original, 本地 local, 远程 remote, 远端 remote, 全局 global, 局部 local,
公共 public, 公开 public, 私有 private, 内部 internal, 外部 external, 静态 static, 动态 dynamic, 自动 auto automatic, 手动 manual,
自定义 custom, 内置 builtin, 标准 standard, 特殊 special, 绑定 bind, 解绑 unbind, 挂载 mount, 附加 append attach, 追加 append, 添加 add,
新增 add, 增加 add increase, 加入 add join, 插入 insert, 减少 reduce decrease, 增长 grow, 扩容 resize grow, 缩容 shrink, 收缩 shrink,
调整 adjust resize, 移动 move, 交换 swap exchange, 分组 group, 组 group, 归类 classify, 聚合 aggregate, 评估 evaluate, 求值 evaluate,
执行 execute run, 运行 run, 调用 invoke, 回放 replay, 重放 replay, 重做 redo, 重置 reset, 重命名 rename, 重写 rewrite, 重用 reuse,
复用 reuse, 共享 share, 独占 exclusive, 排他 exclusive, 只读 readonly, 隔离 isolate, 范围 range scope, 区间 range interval,
边界 boundary bound, 偏移 offset, 位置 position location, 定位 locate, 对齐 align, 步长 step stride, 权重 weight, 分数 score,
评分 score, 打分 score, 排名 rank, 阈值 threshold, 比例 ratio, 概率 probability, 精度 precision, 误差 error, 四舍五入 round, 取整 round,
约束 constraint, 条件 condition, 不变量 invariant, 断言 assert, 模拟 mock simulate, 插桩 instrument, 夹具 fixture, 基准 benchmark,
覆盖率 coverage, 调试 debug, 性能 performance, 剖析 profile, 优化 optimize, 文档 document doc, 注意事项 note, 示例 example, 例子 example,
教程 tutorial, 许可证 license, 贡献 contribute, 协议 protocol, 规范 spec, 标识 id identifier, 标识符 identifier, 编号 number id,
序号 sequence index, 序列号 sequence serial, 序列 sequence, 唯一 unique, 凭证 credential, 凭据 credential, 账号 account, 账户 account,
租户 tenant, 白名单 allowlist whitelist, 黑名单 blocklist blacklist, 防止 prevent, 避免 avoid, 保证 ensure guarantee, 确保 ensure,
保护 protect guard, 攻击 attack, 注意 note, 支持 support, 多路复用 multiplex, 轮询 poll roundrobin, 轮转 rotate, 切换 switch,
翻译 translate, 语言 language, 本地化 locale localize, 国际化 i18n, 单词 word, 词 word, 句子 sentence, 段落 paragraph,
标题 title heading, 大写 uppercase upper, 小写 lowercase lower, 大小写 case, 拼写 spell, 二进制 binary, 十六进制 hex, 位 bit, 位图 bitmap,
掩码 mask, 脚本 script, 宏 macro, 预处理 preprocess, 远程调用 rpc, 短路 short circuit, 提前 early, 延长 extend, 长选项 long flag option,
短选项 short flag option, 后台 background, 前台 foreground, 守护进程 daemon, 主循环 loop, 收集 collect gather, 采集 collect scrape,
上报 report, 输送 deliver, 垃圾 garbage, 老化 aging expire, 预热 warm, 预取 prefetch, 惰性 lazy, 懒加载 lazy, 按需 demand lazy, 批量 batch,
批 batch, 单例 singleton, 工厂 factory, 池 pool, 句柄 handle, 描述符 descriptor, 元数据 metadata, 清单 manifest, 模式匹配 pattern match,
通用 generic, 行为 behavior, 表示 represent, 表明 indicate, 列出 list, 空间 space, 满足 satisfy, 流量 traffic, 选取 select, 组织 organize,
图形 graphic, 词典 dictionary, 提取 extract, 抽取 extract, 解出 extract, 拿 take get, 取 get take, 存 store save, 放 put place,
放入 put insert, 放进 put insert, 存入 store put, 扩大 grow enlarge, 缩小 shrink reduce, 重同步 resync, 重建 rebuild,
重传 retransmit resend, 重发 resend, 重算 recompute, 猜 guess, 猜测 guess, 推断 infer, 推导 infer derive, 拼 build join,
拼成 build join, 拼装 assemble build, 组装 assemble build, 生效 effect apply, 应用 apply, 套用 apply, 上级 parent, 父 parent,
父级 parent, 子 child sub, 子任务 subtask task, 子目录 subdirectory directory, 跟随 follow, 跟进 follow, 跟着 follow,
发现 detect discover, 察觉 detect, 识别 detect recognize identify, 认出 recognize, 断 disconnect break, 挂 die down,
挂掉 die down, 死 dead die, 慢 slow, 快 fast, 透明 transparent, 渐进式 incremental, 增量 incremental delta, 全量 full, 部分 partial,
分给 distribute split, 分摊 distribute, 分散 spread distribute, 分 split, 拆 split, 合 merge, 跑 run, 睡 sleep, 等 wait, 停 stop,
挡 block, 拦 intercept block, 改 change modify, 改写 rewrite, 改名 rename, 查 lookup find, 找 find, 找出 find, 搜 search,
传 pass send, 传递 pass propagate, 传入 pass input, 传播 propagate, 传输 transport transfer, 传送 transfer send, 带上 attach with,
携带 carry, 附带 attach, 送 send, 送到 deliver, 收 receive, 交给 pass hand, 移交 hand transfer, 接管 takeover, 接手 takeover,
抢占 preempt, 抢 acquire preempt, 争用 contention, 竞争 race compete, 竞态 race, 校准 calibrate, 纠正 correct, 修复 fix repair,
修正 fix correct, 补 fill pad, 填充 pad fill, 填 fill, 对应 correspond, 关联 associate link, 依次 sequence, 逐行 line, 逐个 each,
逐步 step incremental, 一步步 step, 平滑 smooth, 滚动 scroll roll rotate, 滑动 slide sliding, 滑动窗口 sliding window,
令牌桶 bucket token, 漏桶 bucket leaky, 桶 bucket, 漏 miss leak, 遗漏 miss, 错过 miss, 用完 exhaust, 耗尽 exhaust, 不够 insufficient,
不足 insufficient, 不可用 unavailable, 不可达 unreachable, 可达 reachable, 不支持 unsupported, 不匹配 mismatch,
不一致 mismatch inconsistent, 不合法 invalid, 丢包 loss packet, 乱序 reorder order, 有序 ordered sorted, 无序 unordered, 倒序 reverse,
反转 reverse invert, 逆序 reverse, 升序 ascending, 降序 descending, 并集 union, 交集 intersect, 差集 difference, 求交 intersect,
过程中 during, 期限 deadline, 截止 deadline, 截止时间 deadline, 截止日期 deadline due, 到点 due, 到时间 due, 到期时间 expiry deadline,
寿命 lifetime, 生命周期 lifecycle, 生存时间 ttl, 时间片 slice quantum, 时间序列 series time, 序列化器 serializer, 样板 template boilerplate,
骨架 skeleton, 脚手架 scaffold, 占位符 placeholder, 占位 placeholder, 变换 transform, 变化 change, 变动 change, 波动 jitter, 抖动 jitter,
噪声 noise, 平衡 balance, 旋转 rotate, 分裂 split, 页 page, 空闲列表 freelist, 空闲页 free page, 游标 cursor, 视图 view, 外键 foreign key,
主键 primary key, 预写 wal, 追赶 catchup, 落后 lag behind, 滞后 lag, 同步复制 replicate sync, 日志条目 entry log, 日志复制 replicate log,
候选人 candidate, 候选 candidate, 跟随者 follower, 追随者 follower, 心跳包 heartbeat, 租约 lease, 多数 majority quorum, 法定人数 quorum,
动作 action, 类别 category, 成员变更 membership change, 配置变更 configuration change, 状态转换 transition, 转移 transfer transition,
握手包 handshake, 加载器 loader,
解析树 tree parse, 语义 semantic, 类 class, 类名 class name, 行号 line, 行尾 eol line, 行首 line start, 行宽 width line,
行长 length line, 列宽 width column, 字面量 literal, 字符集 charset, 字典序 lexicographic, 引擎 engine, 驱动 driver, 适配器 adapter,
适配 adapt, 桥接 bridge, 网关 gateway, 网卡 interface, 防火墙 firewall, 域 domain scope, 子域名 subdomain, 查询字符串 query, 查询串 query,
参数化 parameter, 路径参数 param path, 路由组 group route, 路由表 table route, 路由树 tree route, 路由参数 param route, 前端 frontend,
后端 backend, 目录列表 listing directory, 断点 breakpoint, 断点续传 resume range, 分块传输 chunked, 传输编码 transfer encoding,
内容 content, 内容协商 negotiate accept, 协商 negotiate, 首部 header, 尾部 trailer tail, 头部字段 header, 应答码 status, 返回码 code status,
退出码 exit code, 错误信息 error message, 错误处理 error handle, 报错信息 error message, 调用者 caller, 被调用 called, 调用方 caller,
调用链 chain call, 链 chain, 链式 chain, 责任链 chain, 层 layer level, 分层 layer, 多层 nested layer, 底层 lowlevel underlying,
顶层 top, 上层 upper, 下层 lower, 最外层 outer, 内层 inner, 家目录 home directory, 主目录 home directory, 工作目录 working directory,
当前目录 directory current, 临时 temporary temp, 临时文件 temp file, 隐藏文件 hidden file, 点文件 dotfile hidden, 符号链接 symlink,
软链接 symlink, 硬链接 hardlink link, 权限位 mode permission, 所有者 owner, 属主 owner, 句柄泄漏 leak handle, 文件描述符 fd descriptor,
标准输入 stdin, 标准输出 stdout, 标准错误 stderr, 管理 manage, 管理器 manager, 管理员 admin, 控制 control, 控制器 controller, 协调 coordinate,
协调者 coordinator, 监督 supervise, 主控 master, 主线程 main thread, 工作线程 worker thread, 工作进程 worker process,
信号处理 signal handle, 优雅退出 graceful shutdown, 热重启 restart hot, 平滑重启 restart phased, 重新加载 reload, 重新启动 restart,
重新连接 reconnect, 重新分配 reallocate rebalance, 再平衡 rebalance, 关掉 close disable, 打断 interrupt, 打散 shuffle, 洗牌 shuffle,
打乱 shuffle, 打标签 label tag, 打日志 log, 打点 metric, 埋点 metric instrument, 上限值 max limit, 最大值 max, 最小值 min, 最长 longest max,
最短 shortest min, 首次 first, 第一次 first, 第一个 first, 最后一个 last, 上一个 previous last, 下一个 next, 下一次 next, 下次 next,
前一个 previous, 后一个 next, 旧 old, 新 new, 空值 null nil, 空指针 nil null, 零值 zero, 负数 negative, 正数 positive, 奇偶 parity,
进制 base radix, 科学计数法 exponent scientific, 小数 decimal, 小数点 decimal point, 整除 divide, 除法 divide, 乘法 multiply, 加法 add,
减法 subtract, 取模 modulo, 位运算 bitwise, 哈希值 hash, 布隆过滤器 bloom filter, 跳表 skiplist, 红黑树 tree redblack, 前缀树 trie radix,
字典树 trie, 基数树 radix tree, 平衡树 tree balanced, 二叉树 tree binary, 有限状态机 state machine, 编译期 compile time, 运行时 runtime,
运行期 runtime, 启动时 startup, 条件编译 build tag, 交叉编译 cross compile, 目标文件 object file, 可执行文件 executable binary,
可执行 executable, 库 library, 第三方 third party, 第三方库 third party, 框架 framework, 包 package, 包名 package name,
包管理 package manager, 子模块 submodule, 命名空间 namespace, 类型推断 infer type, 类型转换 convert cast type, 类型检查 check type,
强制转换 cast, 强转 cast, 隐式 implicit, 显式 explicit, 匿名 anonymous, 内联 inline, 展开 expand unroll, 收起 collapse,
短路求值 short circuit, 尾调用 tail call, 尾递归 tail recursion, 上值 upvalue, 元表 metatable, 元方法 metamethod, 寄存器 register,
操作码 opcode, 跳转表 jump table, 垃圾收集 gc collect, 标记清除 mark sweep, 分代 generation, 引用计数 refcount reference count,
弱引用 weak reference, 析构 destructor finalize, 终结器 finalizer, 屏障 barrier, 写屏障 barrier write, 读写锁 rwlock, 自旋 spin,
自旋锁 spinlock, 线程安全 thread safe, 句法 syntax, 魔法 magic, 魔数 magic, 文件头 header magic, 校验码 checksum, 循环冗余 crc, 摘要算法 digest,
盐 salt, 加盐 salt, 随机数 random, 一次性 once, 幂等 idempotent, 会话恢复 session resume, 身份 identity, 身份验证 authenticate auth,
身份认证 authenticate auth, 访问 access visit, 跨站 csrf xss, 注入攻击 injection, 转义字符 escape, 净化 sanitize, 消毒 sanitize,
脱敏 mask redact, 遮盖 mask, 屏蔽 mask block, 审计 audit, 合规 compliance, 速率 rate, 频率 frequency rate, 带宽 bandwidth,
吞吐 throughput, 吞吐量 throughput, 并发数 concurrency, 并发量 concurrency, 最大并发 concurrency max, 排队 queue, 入队 enqueue,
出队 dequeue, 优先队列 priority queue, 死信 dead letter, 应答确认 ack, 反压 backpressure, 水位 watermark, 高水位 watermark high,
低水位 watermark low, 缓存失效 cache invalidate, 失效策略 invalidate expire, 预编译 precompile, 热更新 reload hot, 热点 hot, 冷 cold,
唤起 wake, 挂起 suspend pending, 悬挂 pending dangling, 未决 pending, 待处理 pending, 在途 pending inflight, 正在进行 inflight running,
已完成 done complete, 已关闭 closed, 已存在 exist, 已满 full, 已删除 deleted, 出站 outbound, 入站 inbound, 上行 upstream, 下行 downstream,
上游 upstream, 下游 downstream, 对端 peer remote, 对方 peer, 邻居 neighbor, 拓扑 topology, 发现服务 discovery, 服务发现 discovery,
健康 health, 存活检查 liveness, 就绪 ready readiness, 命令补全 completion, 历史记录 history, 快捷键 shortcut key, 键绑定 keybinding bind,
按钮 button, 菜单 menu, 弹窗 popup dialog, 对话 conversation dialog, 对话框 dialog, 进度 progress, 进度条 progress bar, 滚动条 scrollbar,
表头 header, 皮肤 theme skin, 图标 icon, 动画 animation, 帧率 fps frame, 像素 pixel, 坐标 coordinate, 矩阵 matrix, 向量化 vectorize,
张量 tensor, 梯度 gradient, 训练 train, 推理 inference, 词表 vocabulary, 词汇表 vocabulary, 词元 token, 语料 corpus, 相似度 similarity,
相似 similar, 距离 distance, 最近邻 nearest neighbor, 聚类 cluster, 分类 classify category, 回归 regress regression, 异常值 outlier,
置信度 confidence, 准确率 accuracy precision, 召回 recall, 召回率 recall`)
})

// chineseStops are the question words, particles and pronouns of a question, and words as general as "handle" and
// "logic", which it is not about.
var chineseStops = wordSet(`
什么情况 什么时候 关于这个 如何才能 如果没有 一大堆 一部分 为什么 什么样 代码库 会不会 另一个 只要是 叫什么 哪一个 哪一步 哪一段 哪一行
在哪儿 在哪里 如果有 怎么会 怎么做 怎么办 怎么样 情况下 想知道 或者说 是不是 是什么 是如何 是怎么 有什么 有没有 的地方 的时候 紧接着
能不能 要不要 该怎么 还是说 这么多 那么多 一下 一个 一些 一堆 一并 一旦 一条 一样 一次 一直 一种 一般 一起 三个 上去 上来 下去 下来
不管 不论 不过 东西 两个 两种 为何 主要 之前 之后 之类 之间 也是 了吗 了呢 于是 什么 介绍 仍然 从来 从而 仓库 他们 代码 以内 以前
以及 以后 以外 任何 但是 位于 何处 何时 作为 作用 你们 使得 使用 例如 依据 值得 假如 做到 做的 全部 关于 关系 其他 其它 其实 其次
具体 再次 几个 几乎 几次 几种 出去 出来 出现 分别 列举 刚刚 到底 办法 区别 单独 即使 原因 原来 原理 又是 发生 变得 另外 只有 只能
只要 可以 可否 可能 各个 各种 同时 否则 告诉 哪一 哪个 哪些 哪儿 哪步 哪段 哪种 哪类 哪行 哪里 回去 回来 因为 因此 在哪 在此 地方
场景 基于 处理 多个 多久 多大 多少 多快 多深 多种 多远 多长 多高 大概 大约 大量 好吗 如何 如果 它们 完全 实现 实际 对于 对吧 导致
尤其 就是 工作 左右 已经 帮我 并且 应当 应该 引起 当中 当作 当前 影响 很多 得出 得到 得知 必须 怎么 怎样 总是 情况 情形 意思 成为
我们 或者 所以 所有 才能 指出 按照 接着 描述 整个 整体 方式 方面 无论 时候 是否 最后 最终 有些 有关 有时 期间 本来 本身 机制 来讲
来说 某个 某些 某种 根据 正在 每个 每次 比如 永远 没有 流程 涉及 然后 然而 特别 特定 现在 甚至 用于 用到 由于 的话 目的 直接 相关
看到 真正 知道 程序 究竟 立刻 立即 第几 等等 算出 算是 经常 而言 能够 自己 虽然 行吗 解释 许多 说明 请问 负责 起来 过去 过程 还是
这个 这么 这些 这样 这段 这种 这边 这里 进去 进来 进行 通常 通过 造成 逻辑 遇到 那个 那么 那些 那样 那种 那边 那里 都是 里面 重新
问题 除了 除非 随后 需要 非常 项目 顺便 首先 马上 麻烦 上 下 不 与 个 中 为 么 也 了 于 仅 仍 从 他 令 以 会 但 你 使 做
其 内 再 几 则 刚 到 前 去 又 及 只 各 同 后 向 吗 吧 呀 呃 呗 呢 和 哦 哪 啊 嘛 在 地 外 太 好 它 完 对 就 带 帮 干
并 应 当 往 很 得 想 成 我 或 才 把 掉 无 时 是 更 最 有 未 条 来 次 此 每 没 用 由 的 看 着 种 答 算 给 而 能 被 要
让 讲 该 说 请 谁 走 越 跟 过 还 这 连 那 都 里 问 靠`)

// A Term is a run of Chinese, with the English words for it if the table has it.
type Term struct {
	Text    string
	English []string // none for a word that the table lacks
}

// longestTerm is the length of the longest key of the tables, in runes.
const longestTerm = 5

// longestRun is the length of the longest unknown run that is one term, in runes.
const longestRun = 4

// A segment is a part of a text: a word that the tables have, or a run of what they lack.
type segment struct {
	text    string
	english []string // of a term
	known   bool     // a term, or a stop word
	han     bool     // all of it is Chinese
	at      int      // where it begins
}

// segments splits a text at the words of the tables; the longest word counts. A term of one character beside a run that
// is not known is part of that run, as words of two characters are made of others.
func segments(s string) (all []segment) {
	through := func(one *segment, next segment) { one.text = s[one.at : next.at+len(next.text)] }
	for at := 0; at < len(s); {
		next := prefix(s[at:])
		next.at = at
		if n := len(all); n > 0 && !next.known && !all[n-1].known && next.han == all[n-1].han {
			through(&all[n-1], next)
		} else {
			all = append(all, next)
		}
		at += len(next.text)
	}
	joined := all[:0]
	for i, one := range all {
		n := len(joined)
		after := n > 0 && !joined[n-1].known && joined[n-1].han
		before := i+1 < len(all) && !all[i+1].known && all[i+1].han
		single := len(one.english) > 0 && utf8.RuneCountInString(one.text) == 1
		if single && (after || before) {
			one = segment{text: one.text, han: true, at: one.at}
		}
		if after && !one.known && one.han {
			through(&joined[n-1], one)
		} else {
			joined = append(joined, one)
		}
	}
	return joined
}

// prefix returns the longest known word at the start of s, or the first character.
func prefix(s string) segment {
	at := 0
	ends := make([]int, 0, longestTerm)
	for range longestTerm {
		c, size := utf8.DecodeRuneInString(s[at:])
		if !unicode.Is(unicode.Han, c) {
			break
		}
		at += size
		ends = append(ends, at)
	}
	for _, end := range slices.Backward(ends) {
		english, ok := chinese()[s[:end]]
		if ok || chineseStops[s[:end]] {
			return segment{text: s[:end], english: strings.Fields(english), known: true, han: true}
		}
	}
	_, size := utf8.DecodeRuneInString(s)
	return segment{text: s[:size], han: len(ends) > 0}
}

// Chinese finds the terms in the Chinese parts of s, in order. A run between known terms and stop words becomes a
// term of its own if it has at least two characters; it is split into pairs if it has more than four.
func Chinese(s string) []Term {
	var terms []Term
	for _, one := range segments(s) {
		r := []rune(one.text)
		switch {
		case len(one.english) > 0:
			terms = append(terms, Term{one.text, one.english})
		case one.known || !one.han || len(r) < 2:
		case len(r) <= longestRun:
			terms = append(terms, Term{Text: one.text})
		default:
			for i := 0; i+1 < len(r) && i < 2*longestRun; i += 2 {
				terms = append(terms, Term{Text: string(r[i : i+2])})
			}
		}
	}
	return terms
}

// FromChinese returns a text with the Chinese terms of the table in English, and without words that say nothing. It
// keeps a text without any term of the table: its sections are in Chinese.
func FromChinese(text string) string {
	var b strings.Builder
	known := false
	for _, one := range segments(text) {
		switch {
		case len(one.english) > 0:
			known = true
			b.WriteString(" " + one.english[0] + " ")
		case !one.known:
			b.WriteString(one.text)
		}
	}
	if !known {
		return text
	}
	return strings.Join(strings.Fields(b.String()), " ")
}
