// SPDX-License-Identifier: Apache-2.0
// Assembler of the compute unit's benches: llvm-mc, once for each text; build/tests/assembled keeps what it made, since the builds of
// a bench with a seeded fault run the same programs.  Not responsible for: what the text means.
#pragma once
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <elf.h>
#include <string>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

static std::string file_read(const std::string &path)
{
    std::string out;
    if (FILE *f = fopen(path.c_str(), "r")) {
        char part[4096];
        for (size_t n; (n = fread(part, 1, sizeof part, f)) > 0;)
            out.append(part, n);
        fclose(f);
    }
    return out;
}

static bool file_write(const std::string &path, const std::string &text)
{
    FILE *f = fopen(path.c_str(), "w");
    if (!f)
        return false;
    bool whole = fwrite(text.data(), 1, text.size(), f) == text.size();
    return fclose(f) == 0 && whole;
}

// The section .text of an object file.
static std::string object_text(const std::string &elf)
{
    Elf64_Ehdr head{};
    memcpy(&head, elf.data(), elf.size() < sizeof head ? 0 : sizeof head);
    std::vector<Elf64_Shdr> sections(head.e_shnum);
    if (elf.size() < head.e_shoff + sections.size() * sizeof(Elf64_Shdr) || head.e_shstrndx >= sections.size())
        return "";
    memcpy(sections.data(), elf.data() + head.e_shoff, sections.size() * sizeof(Elf64_Shdr));
    for (const Elf64_Shdr &s : sections)
        if (!strcmp(elf.c_str() + sections[head.e_shstrndx].sh_offset + s.sh_name, ".text"))
            return elf.substr(s.sh_offset, s.sh_size);
    return "";
}

// Text of a program -> bytes; empty when there are none.
static std::string assemble_anew(const std::string &text)
{
    char dir[] = "/tmp/gantry-cu-XXXXXX";
    if (!mkdtemp(dir))
        return "";
    std::string src = std::string(dir) + "/p.s", obj = std::string(dir) + "/p.o", code;
    std::string cmd = "exec llvm-mc-19 -triple=amdgcn -mcpu=gfx803 -filetype=obj -o " + obj + " " + src;
    if (file_write(src, text) && system(cmd.c_str()) == 0)
        code = object_text(file_read(obj));
    unlink(src.c_str());
    unlink(obj.c_str());
    rmdir(dir);
    return code;
}

// What is kept: the assembler's size and time, the text, its code; a file of another text with the same hash is not taken.
static std::string assemble_bytes(const std::string &text)
{
    struct stat tool {};
    stat("/usr/bin/llvm-mc-19", &tool);
    std::string head = std::to_string(tool.st_size) + " " + std::to_string(tool.st_mtime) + " " + std::to_string(text.size()) + "\n" + text;
    uint64_t hash = 0xcbf29ce484222325;
    for (unsigned char c : head)
        hash = (hash ^ c) * 0x100000001b3;
    char name[20];
    snprintf(name, sizeof name, "%016llx", (unsigned long long)hash);
    std::string folder = "build/tests/assembled", path = folder + "/" + name, kept = file_read(path);
    if (kept.size() > head.size() && !kept.compare(0, head.size(), head))
        return kept.substr(head.size());
    std::string code = assemble_anew(text), fresh = path + "." + std::to_string(getpid());
    mkdir(folder.c_str(), 0777);  // outside the tree: nothing is kept
    if (code.empty() || !file_write(fresh, head + code) || rename(fresh.c_str(), path.c_str()))
        unlink(fresh.c_str());
    return code;
}

// Text of a program -> dwords; none when the assembler fails.
static std::vector<uint32_t> assemble_words(const std::string &text)
{
    std::string bytes = assemble_bytes(text);
    std::vector<uint32_t> code(bytes.size() / 4);
    memcpy(code.data(), bytes.data(), code.size() * 4);
    return code;
}
