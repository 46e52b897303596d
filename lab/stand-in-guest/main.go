// The only program of the stand-in guest: process 1 of a real machine that has no Talos image to boot.
//
// It reads the seed with the code of Talos itself (this folder is built inside Talos' own module), brings the addresses
// of the seed up, reports what machine it is to the test at its gateway, and from then on passes every connection to its
// ports on to the simulated Talos there. What the simulated node writes lies on this machine's disk.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Where the test listens, on the machine that is the gateway of the seed.
const servicePort = "45131"

func main() {
	signal.Ignore()
	fmt.Println("stand-in guest: up")
	if err := live(); err != nil {
		fmt.Println("stand-in guest:", err)
	}
	// Without process 1 the kernel panics; a machine that failed stays and can be looked at.
	for {
		_ = unix.Pause()
	}
}

func live() error {
	for _, mount := range [][2]string{{"proc", "/proc"}, {"sysfs", "/sys"}, {"devtmpfs", "/dev"}} {
		if err := os.MkdirAll(mount[1], 0o755); err != nil {
			return err
		}
		if err := unix.Mount(mount[0], mount[1], mount[0], 0, ""); err != nil {
			return fmt.Errorf("mount %s: %w", mount[1], err)
		}
	}
	if err := loadModules(); err != nil {
		return err
	}
	seed, err := findSeed()
	if err != nil {
		return err
	}
	platform, err := readSeed(seed)
	if err != nil {
		return fmt.Errorf("the seed as Talos reads it: %w", err)
	}
	if err := applyNetwork(platform); err != nil {
		return err
	}
	report, gateway, err := makeReport(seed, platform)
	if err != nil {
		return err
	}
	go watchPowerButton()
	for {
		if err := serve(report, net.JoinHostPort(gateway, servicePort)); err != nil {
			fmt.Println("stand-in guest:", err)
		}
		listeners.set(nil, "")
		time.Sleep(500 * time.Millisecond)
	}
}

// In the order they need each other; the image's builder wrote it.
func loadModules() error {
	list, err := os.ReadFile("/modules/order")
	if err != nil {
		return err
	}
	for _, name := range strings.Fields(string(list)) {
		file, err := os.Open("/modules/" + name)
		if err != nil {
			return err
		}
		err = unix.FinitModule(int(file.Fd()), "", 0)
		file.Close()
		if err != nil && err != unix.EEXIST {
			return fmt.Errorf("module %s: %w", name, err)
		}
	}
	return nil
}

// What the service asks of the machine, a line each. Absent fields ask for nothing.
type order struct {
	// The addresses and ports that answer from now on, all of them.
	Listen *[]string `json:"listen"`
	// What a disk holds from now on.
	Write *struct {
		Disk    string          `json:"disk"`
		Content json.RawMessage `json:"content"`
	} `json:"write"`
	// What the system says on its consoles.
	Print    string `json:"print"`
	PowerOff bool   `json:"powerOff"`
}

// One conversation with the service. It ends when the service goes away; then nothing of the machine answers.
func serve(report machineReport, service string) error {
	conn, err := net.DialTimeout("tcp", service, 5*time.Second)
	if err != nil {
		return err
	}
	defer conn.Close()
	if report.Disks, err = readDisks(); err != nil {
		return err
	}
	encoder := json.NewEncoder(conn)
	if err := encoder.Encode(map[string]any{"machine": report}); err != nil {
		return err
	}
	ended := make(chan struct{})
	defer close(ended)
	go heartbeat(encoder, ended)
	reader := bufio.NewReaderSize(conn, 1<<20)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			return err
		}
		var asked order
		if err := json.Unmarshal(line, &asked); err != nil {
			return err
		}
		// Process 1 has the console as its output, and that is the serial port.
		fmt.Print(asked.Print)
		if asked.Write != nil {
			if err := writeDisk(asked.Write.Disk, asked.Write.Content); err != nil {
				return err
			}
		}
		if asked.Listen != nil {
			listeners.set(*asked.Listen, service)
		}
		if asked.PowerOff {
			unix.Sync()
			return unix.Reboot(unix.LINUX_REBOOT_CMD_POWER_OFF)
		}
	}
}

// A machine whose plug is pulled says nothing any more; that is how the service knows.
func heartbeat(encoder *json.Encoder, ended <-chan struct{}) {
	ticker := time.NewTicker(500 * time.Millisecond)
	defer ticker.Stop()
	for {
		select {
		case <-ended:
			return
		case <-powerButton:
			_ = encoder.Encode(map[string]any{"powerButton": true})
		case <-ticker.C:
			_ = encoder.Encode(map[string]any{})
		}
	}
}

var powerButton = make(chan struct{}, 1)

// Linux tells of it as of a key on a keyboard.
func watchPowerButton() {
	const keyEvent, powerKey, eventBytes = 1, 116, 24
	for index := range 8 {
		file, err := os.Open(fmt.Sprintf("/dev/input/event%d", index))
		if err != nil {
			continue
		}
		go func() {
			event := make([]byte, eventBytes)
			for {
				if _, err := file.Read(event); err != nil {
					return
				}
				if event[16] == keyEvent && event[18] == powerKey && event[20] == 1 {
					select {
					case powerButton <- struct{}{}:
					default:
					}
				}
			}
		}()
	}
}
